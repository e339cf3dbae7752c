"""Holidays by rule: a fixed date, a weekday of a month, or a distance from Easter. International and United States
holidays; lunar ones from a table of likely years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.text.times.meaning.base import FIXED, PAST, WITHOUT_YEAR, Anchored, Context, Meaning
from graphmem.text.times.meaning.calendar import days_in_month, easter, islamic, start_of
from graphmem.text.times.meaning.periods import whole

_Table = dict[tuple[int, ...], str]

# Names by rule: (month, day), (month, n-th from the start or end, weekday), or days from Easter Sunday.
_FIXED_DATES: _Table = {
    (1, 1): "new year's day|new years day|new year day|new year's|new years|new year|yuandan",
    (2, 2): "groundhog day|ground hog day",
    (2, 14): "valentine's day|valentines day|valentine day",
    (3, 8): "international women's day",
    (3, 14): "pi day",
    (3, 17): "saint patrick's day|st patrick's day|st patricks day",
    (4, 1): "april fools day|april fool's day|april fools|april fool day",
    (4, 22): "earth day",
    (5, 1): "may day|international workers' day|labour day",
    (5, 5): "cinco de mayo",
    (6, 19): "juneteenth",
    (7, 4): "independence day",
    (7, 14): "bastille day",
    (10, 31): "halloween|hallowe'en|halloween day",
    (11, 1): "all saints' day|all saints day|all hallows day",
    (11, 5): "guy fawkes day|guy fawkes night",
    (11, 11): "veterans day|remembrance day|armistice day|singles day|singles' day",
    (12, 24): "christmas eve|xmas eve",
    (12, 25): "christmas day|christmas|xmas|x mas",
    (12, 26): "boxing day",
    (12, 31): "new year's eve|new years eve|new year eve",
}
_NTH_WEEKDAYS: _Table = {
    (1, 3, 0): "martin luther king day|martin luther king jr day|mlk day",
    (2, 3, 0): "presidents' day|presidents day|president's day|washington's birthday",
    (5, 2, 6): "mother's day|mothers day|mother day",
    (5, -1, 0): "memorial day",
    (6, 3, 6): "father's day|fathers day|father day",
    (9, 1, 0): "labor day",
    (10, 2, 0): "columbus day|indigenous peoples day",
    (11, 4, 3): "thanksgiving day|thanksgiving|thanks giving day",
}
_FROM_EASTER: dict[int, str] = {
    -48: "clean monday",
    -47: "mardi gras|shrove tuesday|fat tuesday",
    -46: "ash wednesday",
    -7: "palm sunday",
    -3: "maundy thursday",
    -2: "good friday",
    -1: "holy saturday|easter saturday",
    0: "easter sunday|easter day|easter",
    1: "easter monday",
    39: "ascension day|ascension thursday",
    49: "pentecost|whit sunday",
    50: "whit monday",
    60: "corpus christi",
}
# In the tabular Islamic calendar, which counts days from sunset to sunset: a day begins on the evening before.
_ISLAMIC: _Table = {
    (1, 1): "islamic new year|hijri new year|arabic new year",
    (1, 10): "ashura",
    (3, 12): "mawlid",
    (9, 1): "ramadan|ramazan|ramzan|ramadhan|ramathan",
    (10, 1): "eid al fitr|eid al-fitr",
    (12, 10): "eid al adha|eid al-adha|feast of the sacrifice",
}
_FROM_THANKSGIVING = {1: "black friday", 4: "cyber monday"}

_Rule = tuple[str, tuple[int, ...]]


def _names() -> dict[str, _Rule]:
    tables: tuple[tuple[str, _Table], ...] = (
        ("fixed", _FIXED_DATES),
        ("weekday", _NTH_WEEKDAYS),
        ("islamic", _ISLAMIC),
        ("easter", {(key,): names for key, names in _FROM_EASTER.items()}),
        ("thanksgiving", {(key,): names for key, names in _FROM_THANKSGIVING.items()}),
    )
    return {name: (kind, key) for kind, table in tables for key, names in table.items() for name in names.split("|")}


# Every name in lower case with the rule that dates it.
HOLIDAYS: dict[str, _Rule] = _names()


def _date(holiday: str, year: int) -> datetime:
    kind, key = HOLIDAYS[holiday]
    if kind == "fixed":
        return datetime(year, key[0], key[1])
    if kind == "easter":
        return easter(year) + timedelta(days=key[0])
    if kind == "islamic":
        return islamic(year, key[0], key[1])
    if kind == "thanksgiving":
        return _date("thanksgiving", year) + timedelta(days=key[0])
    month, number, weekday = key
    if number > 0:
        first = datetime(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
    last = datetime(year, month, days_in_month(year, month))
    return last - timedelta(days=(last.weekday() - weekday) % 7)


@dataclass(frozen=True, slots=True)
class Holiday(Meaning):
    """A holiday by its name, in a year, `offset` years away, or with `nearest` -1 and 1 the last and the next one."""

    name: str
    year: int | None = None
    offset: int | None = None
    nearest: int = 0

    @property
    def openness(self) -> int:
        """Return what is missing of the date: the year, if none was named."""
        return FIXED if self.year or self.offset is not None or self.nearest else WITHOUT_YEAR

    def anchor(self, context: Context) -> Anchored:
        """Return the day."""
        if self.year is not None or self.offset is not None:
            year = self.year if self.year is not None else context.now.year + (self.offset or 0)
            return whole("day", _date(self.name, year))
        today = start_of("day", context.origin)
        days = [_date(self.name, today.year + distance) for distance in (-1, 0, 1)]
        if self.nearest < 0 or (self.nearest == 0 and context.tense == PAST):
            return whole("day", [day for day in days if day < today or (day == today and not self.nearest)][-1])
        return whole("day", next(day for day in days if day > today or (day == today and not self.nearest)))
