"""English words of time with their meanings, as classes for the rules of `grammar`. A word may be in several
classes ("second" is a unit and an ordinal); which one counts is for the rule to say. Korean is in `korean`."""

from __future__ import annotations

from typing import Any

Words = dict[str, Any]


def _words(**meanings: str) -> Words:
    """{"word": "MEANING"} from MEANING="word word ..."."""
    return {word: meaning for meaning, words in meanings.items() for word in words.split()}


def _numbered(text: str, start: int = 1) -> Words:
    """{"word": number}; alternatives of one number are joined by a bar."""
    return {word: n for n, group in enumerate(text.split(), start) for word in group.split("|")}


MONTHS = _numbered(
    "january|jan february|feb|febr march|mar april|apr may june|jun july|jul august|aug "
    "september|sep|sept october|oct november|nov december|dec"
)
WEEKDAYS = _numbered(
    "monday|mon tuesday|tue|tues wednesday|wed|weds|wednes thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun",
    0,
)
WEEKDAYS_PLURAL = _numbered("mondays tuesdays wednesdays thursdays fridays saturdays sundays", 0)

ONES = _numbered("one two three four five six seven eight nine")
TEENS = _numbered("ten eleven twelve thirteen fourteen|forteen fifteen sixteen seventeen eighteen nineteen", 10)
TENS = {
    word: 10 * n for word, n in _numbered("twenty thirty forty|fourty fifty sixty seventy eighty ninety", 2).items()
}
ORDINAL_ONES = _numbered("first second third fourth fifth sixth seventh eighth ninth")
ORDINALS = {
    **ORDINAL_ONES,
    **_numbered(
        "tenth eleventh twelfth|twelveth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
        "twentieth",
        10,
    ),
    "thirtieth": 30,
}

UNITS = _words(
    second="second seconds sec secs",
    minute="minute minutes min mins",
    hour="hour hours hr hrs",
    day="day days",
    night="night nights",
    week="week weeks wk wks",
    weekend="weekend weekends",
    fortnight="fortnight fortnights",
    month="month months mo mos",
    quarter="quarter quarters qtr qtrs",
    year="year years yr yrs ys",
    decade="decade decades",
    century="century centuries",
    millisecond="ms millisecond milliseconds msec msecs",
)
_LONG = ("week", "weekend", "month", "quarter", "year", "decade", "century")
_PLURALS = (
    "seconds",
    "minutes",
    "hours",
    "days",
    "weeks",
    "weekends",
    "months",
    "quarters",
    "years",
    "decades",
    "centuries",
)
# Letters that are units only next to a number: "1h", "30s". Metres and dimensions forbid "5m" and "3d" on their own.
SHORT_UNITS = {
    "s": "second",
    "h": "hour",
    "'": "minute",
    "’": "minute",
    "d": "day",
    "w": "week",
    "m": "minute",
    "y": "year",
}

# "next" counts periods; "coming" and "past" mean the nearest one.
SHIFTS: Words = {
    **dict.fromkeys(("this", "current", "present"), 0),
    **dict.fromkeys(("next", "following", "subsequent", "nxt"), 1),
    **dict.fromkeys(("last", "previous", "prev", "preceding", "prior"), -1),
}
NEAREST: Words = {"coming": 1, "upcoming": 1, "past": -1}

PARTS_OF_DAY = _words(
    MO="morning",
    AF="afternoon",
    EV="evening",
    NI="night nighttime",
    DT="daytime",
    MEL="lunch lunchtime",
    MEB="breakfast",
    MER="brunch",
    MED="dinner dinnertime",
)
PARTS_PLURAL = _words(MO="mornings", AF="afternoons", EV="evenings", NI="nights")
SEASONS = _words(SP="spring springtime", SU="summer summertime", FA="fall autumn", WI="winter wintertime")
DECADE_WORDS: Words = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50,
    "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90,
}  # fmt: skip

FREQUENCIES: Words = {
    **dict.fromkeys(("daily", "everyday"), "P1D"),
    "weekly": "P1W",
    **dict.fromkeys(("biweekly", "fortnightly"), "P2W"),
    "monthly": "P1M",
    "bimonthly": "P2M",
    "quarterly": "P3M",
    **dict.fromkeys(("annually", "yearly", "annual"), "P1Y"),
    **dict.fromkeys(("semiannually", "semiannual", "biannual", "biannually"), "P0.5Y"),
    **dict.fromkeys(("biennial", "biennially"), "P2Y"),
    "hourly": "PT1H",
    "nightly": "P1D",
}
# A "bi-" or "semi-" that stands apart: "bi-monthly".
FREQUENCY_FACTORS: Words = {"bi": 2.0, "semi": 0.5}

# Parts of a period that are before it ("early May"), and those that need an "of" ("the end of May").
EARLY = _words(start="early earlier", mid="mid", end="late later")
EDGES = _words(start="start beginning begining", mid="middle", finish="end close")
REFERENCES = _words(
    PRESENT_REF="now nowadays currently presently atm",
    PAST_REF="recently lately previously formerly",
    FUTURE_REF="soon shortly asap",
)
ZONES: Words = {
    **dict.fromkeys(("utc", "gmt"), 0),
    **dict.fromkeys(("kst", "jst"), 540),
    "ist": 330, "aest": 600, "cet": 60, "cest": 120, "bst": 60, "eet": 120, "eest": 180,
    "est": -300, "edt": -240, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip

# Words that texts without a time are full of too. All other words of the grammar suggest one.
COMMON = frozenset(
    "a about after al all an and another any anytime around as at back before beginning between black both by calendar clean "
    "close coming commencing consecutive corpus couple current de distant du each early earth effective end ending entire "
    "equal every exactly few fewer final financial first following fool fools for foreseeable from full giving good "
    "ground into in international just king labor labour last late later least less longer many martin middle mid "
    "more most my near nearly new next no not o of off oh old on once one only onwards or other our over own palm part "
    "per pi point possible present president presidents preceding previous prior recent remaining right roughly same "
    "school several since single some sooner st start starting subsequent than thanks that the these this through thru till "
    "til time times to too two three four five six seven eight nine under until up upcoming washington whit within women "
    "work workers working whole x zero bi semi father mother fathers mothers thousand hundred king jr half "
    "approximately almost third fourth fifth saint saints date rest remainder guy fat feast birthday men "
    "PAD N9 N12 N24 N31 N59 N99 N999 BIG DECIMAL DOTTED DASH SLASH DOT COMMA COLON OPEN CLOSE SIGN TILDE BAR POSSESSIVE COMPARE "
    "KPARTICLE".split()
)
CLASSES: dict[str, Words] = {
    "MONTH": MONTHS,
    "WEEKDAY": WEEKDAYS,
    "WEEKDAYS": WEEKDAYS_PLURAL,
    "ONES": ONES,
    "TEEN": TEENS,
    "TENS": TENS,
    "ORDONE": ORDINAL_ONES,
    "ORDWORD": ORDINALS,
    "UNIT": UNITS,
    "HOURSIGN": {"h": "hour"},
    "UNIT1": {word: unit for word, unit in UNITS.items() if word[-1] != "s"},
    "LONGUNIT": {word: unit for word, unit in UNITS.items() if unit in _LONG and word[-1] != "s"} | {"half": "half"},
    "DAYUNIT": {"day": "day"},
    "WEEKUNIT": {"week": "week", "wk": "week"},
    "CONTAINING": {"week": "week", "wk": "week", "weekend": "weekend"},
    "YEARUNIT": {"year": "year", "yr": "year"},
    "WORKDAY": {"day": "businessday", "days": "businessday"},
    "DAYKINDS": {
        **dict.fromkeys(("weekdays", "workdays", "weeknights"), "XXXX-WXX-WD"),
        "weekends": "XXXX-WXX-WE",
    },
    "HOURUNIT": {"hour": "hour", "hr": "hour"},
    "TODATE": {"year": "year", "month": "month", "week": "week", "quarter": "quarter"},
    "PARTUNIT": {"quarter": "quarter", "qtr": "quarter", "half": "half"},
    "PLURALUNIT": {word: unit for word, unit in UNITS.items() if word in _PLURALS},
    "FINAL": {"last": 1},
    "FIRSTORLAST": {"first": 1, "last": -1, "final": -1},
    "LASTORD": {"last": -1, "final": -1},
    "COMING": {"coming": 1, "upcoming": 1},
    "SHIFT": SHIFTS,
    "NEAREST": NEAREST,
    "PART": PARTS_OF_DAY,
    "PARTS": PARTS_PLURAL,
    "SEASON": SEASONS,
    "DECADES": DECADE_WORDS,
    "FREQUENCY": FREQUENCIES,
    "FACTOR": FREQUENCY_FACTORS,
    "EARLY": EARLY,
    "EDGE": EDGES,
    "REFERENCE": REFERENCES,
    "ZONE": ZONES,
    "NOON": {"noon": 12, "noonish": 12, "midafternoon": 14, "midmorning": 10, "midday": 12, "noontime": 12, "midnight": 0},
    "RELDAY": {
        "today": 0, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tommorow": 1, "tomorow": 1, "yesterday": -1,
    },
    "VAGUE": dict.fromkeys(("few", "several", "some", "many"), 3),
    "EACH": dict.fromkeys(("every", "each"), 1),
    "TO": dict.fromkeys(("to", "till", "til", "until", "through", "thru"), 1),
    "THE": dict.fromkeys(("the", "my", "our", "this"), 0),
    "TONIGHT": {"tonight": 0, "tonite": 0},
    "A": dict.fromkeys(("a", "an"), 1),
    "OCLOCK": dict.fromkeys(("o'clock", "oclock"), 1),
    "MINUTES": dict.fromkeys(("minutes", "minute", "mins", "min"), 1),
    "PASTWORD": dict.fromkeys(("past", "after"), 1),
    "TOWORD": dict.fromkeys(("to", "before", "of", "till", "til"), -1),
    "ATWORD": dict.fromkeys(("at", "around", "about", "by"), 1),
    "APPROX": dict.fromkeys("about around approximately nearly almost roughly over under exactly".split(), 1),
    "ABOUT": dict.fromkeys("about around circa approximately".split(), 1),
    "CENTURYWORD": {"eighteen": 18, "nineteen": 19, "twenty": 20},
    "ALL": dict.fromkeys(("all", "full", "whole", "entire"), 1),
    "WORKING": dict.fromkeys(("business", "working", "work"), "businessday"),
}  # fmt: skip
