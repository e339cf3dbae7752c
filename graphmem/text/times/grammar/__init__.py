"""The rules of the time grammar, one module for each family; `LEVELS` is the order in which they are applied. A rule
consists of the kind of its result, a pattern over words, CLASSES and kinds, and a function of the captured values."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.text.times import numerals
from graphmem.text.times.engine import Rule
from graphmem.text.times.grammar import (
    clocks,
    dates,
    holidays,
    korean,
    lengths,
    periods,
    ranges,
    recurring,
    relative,
)

UNIONS: dict[str, Iterable[str]] = {
    **numerals.UNIONS,
    # numbers in their roles
    "DAYNO": ("DAYNUM", "ORDINAL"),
    "DAYANY": ("DAYNO", "DAYWORD"),
    "MONTHNUM": ("PAD", "N9", "N12"),
    "HOURNUM": ("HOUR", "HOURWORD"),
    "HOURLIKE": ("CLOCK", "HOURNUM"),
    "FOURORTWO": ("YEAR4", "YEAR2"),
    "COUNT": (
        "PAD",
        "N9",
        "N12",
        "N24",
        "N31",
        "N59",
        "N99",
        "N999",
        "BIG",
        "NUMBERWORD",
        "DECIMAL",
        "DOTTED",
        "FRACTION2",
    ),
    "NTH": ("ORDINAL", "LASTORD"),
    "DECADENO": ("DECADE2", "DECADEMARK", "DECADES"),
    "HALF": ("AMPM", "GLUEDAP"),
    "SHIFTED": ("SHIFT", "NEAREST"),
    "ATABOUT": ("ATWORD", "SIGN"),
    "UNITSIGN": ("HOURSIGN", "SIGNUNIT"),
    "KHOUR": ("HOUR", "KNUMBER"),
    "KCOUNT": ("COUNT", "KNUMBER"),
    "KANYUNIT": ("KUNIT", "KMINUTE"),
    "KYEARS": ("KYEAR", "KTHIS"),
    # results of earlier levels
    "DAYS": (
        "DATE",
        "RELATIVEDAY",
        "OPENWEEKDAY",
        "OPENDAY",
        "NUMBERDAY",
        "FULLDATE",
        "MONTHDAY",
        "SLASHED",
        "HOLIDAY",
    ),
    "DAYTIME": ("DAYS", "DATETIME"),
    "SPANUNIT": ("LONGUNIT", "DAYUNIT"),
    "ENDTIMES": ("DATETIME", "CLOCK"),
    "ENDTIME": ("DAYTIME", "CLOCK"),
    "HALVABLE": ("RELATIVEDAY", "OPENWEEKDAY"),
    "TODAYLIKE": ("RELATIVEDAY", "DATETIME"),
    "YEARPART": ("QUARTER", "HALFYEAR"),
    "YEARNAME": ("YEAR", "YEARCODE"),
    "PERIODS": (
        *(
            "PERIOD",
            "SHIFTEDMONTH",
            "YEARMONTH",
            "NAMEDMONTH",
            "OPENMONTH",
            "OPENQUARTER",
            "QUARTER",
            "OPENSEASON",
            "BAREYEAR",
        ),
    ),
    "CONTAINER": ("PERIODS", "CURRENT"),
    "LENGTHS": ("LENGTH", "LETTERLENGTH", "ARTICLELENGTH", "SECONDS"),
    "ANYLENGTH": ("LENGTH", "ARTICLELENGTH"),
    "STARTS": ("DAYTIME", "CLOCK", "BAREHOUR", "YEARMONTH", "REFERRED"),
    "ZONES": ("ZONE", "OFFSET"),
    "POINTS": ("DAYTIME", "CLOCK", "PERIODS", "REFERRED"),
    "ENDPOINT": ("DAYTIME", "PERIODS", "CLOCK", "STAMP", "MOMENT", "REFERRED", "ENDOFDAY"),
}

# What makes an island of common words worth reading after all.
HINTS = (
    "ATABOUT (HOURNUM | DOTTED)",
    "(on | the) DAYNUM",
    "on the ORDINAL",
    "half HOURWORD",
    "to date",
    "at (present | this)",
)
# In order; a level sees the results of those before it.
LEVELS: tuple[tuple[Rule, ...], ...] = (
    numerals.RULES,
    clocks.EXPLICIT + korean.CLOCKS,
    clocks.RELATED,
    holidays.NAMES,
    recurring.RULES + korean.RECURRING,
    recurring.TIMED,
    clocks.IN_PART,
    korean.DATES,
    lengths.RULES + korean.LENGTHS,
    lengths.SUMS,
    dates.RULES,
    holidays.DATED,
    periods.NAMED,
    holidays.REFERENCES,
    periods.NESTED,
    relative.RULES + korean.RELATIVE,
    clocks.ON_DAY + korean.ON_DAY,
    ranges.OF_TIMES + korean.OF_TIMES,
    clocks.JOINED + korean.JOINED,
    ranges.DATES,
    ranges.ONE_SIDED + korean.RANGES,
)
