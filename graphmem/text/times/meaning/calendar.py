"""Calendar arithmetic on naive wall-clock times, and TIMEX3 names of calendar periods. `OverflowError` and `ValueError`
mean "outside of the calendar"."""

from __future__ import annotations

from datetime import datetime, timedelta

_FIXED = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "night": timedelta(days=1),
    "week": timedelta(weeks=1),
    "weekend": timedelta(weeks=1),
    "fortnight": timedelta(weeks=2),
    "millisecond": timedelta(milliseconds=1),
}
_MONTHS = {"month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
SEASONS = {"SP": 3, "SU": 6, "FA": 9, "WI": 12}
_SEASON_OF_MONTH = ("WI", "WI", "SP", "SP", "SP", "SU", "SU", "SU", "FA", "FA", "FA", "WI")
# From fine to coarse: a unit's rank decides what counts as "at least a day".
GRAINS = (
    *("millisecond", "second", "minute", "hour", "part", "day", "businessday", "night", "weekend", "week", "fortnight"),
    *("month", "quarter", "season", "half", "year", "decade", "century"),
)
RANK = {grain: rank for rank, grain in enumerate(GRAINS)}


def add_months(moment: datetime, months: int) -> datetime:
    """Return the same day `months` later; the last day of the month where that day does not exist."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    first = moment.replace(year=year, month=month + 1, day=1)
    return first.replace(day=min(moment.day, days_in_month(year, month + 1)))


def days_in_month(year: int, month: int) -> int:
    """28 to 31."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def shift(moment: datetime, unit: str, count: float) -> datetime:
    """`moment` moved by `count` units; fractions of months and coarser units count as days."""
    if unit == "businessday":
        return shift_business_days(moment, round(count))
    if unit in _FIXED:
        return moment + _FIXED[unit] * count
    months = _MONTHS[unit] * count
    whole = int(months)
    return add_months(moment, whole) + timedelta(days=round((months - whole) * 30))


def shift_business_days(moment: datetime, count: int) -> datetime:
    """Return the `count`-th Monday-to-Friday after (or, negative, before) `moment`; holidays are not known here."""
    step = timedelta(days=1 if count > 0 else -1)
    weeks, rest = divmod(abs(count), 5)
    moment += step * 7 * weeks
    while rest:
        moment += step
        rest -= moment.weekday() < 5
    return moment


def start_of(unit: str, moment: datetime) -> datetime:
    """Return where the period of this `unit` that contains `moment` begins. Weeks are ISO weeks, a weekend is the one
    that ends its week, seasons are the meteorological ones of the northern hemisphere."""
    if unit in ("second", "minute", "hour"):
        whole = moment.replace(microsecond=0)
        return whole if unit == "second" else whole.replace(second=0, minute=0 if unit == "hour" else whole.minute)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in ("week", "fortnight"):
        return day - timedelta(days=day.weekday())
    if unit == "weekend":
        return day + timedelta(days=5 - day.weekday())
    if unit == "season":
        return add_months(day.replace(day=1), -(day.month % 3))
    if unit in ("day", "night", "businessday"):
        return day
    first = day.replace(day=1)
    if unit in ("decade", "century"):
        size = _MONTHS[unit] // 12
        return first.replace(year=max(1, first.year // size * size), month=1)
    return first.replace(month=(first.month - 1) // _MONTHS[unit] * _MONTHS[unit] + 1)


def end_of(unit: str, begin: datetime) -> datetime:
    """Return the exclusive end of the period of this `unit` that begins at `begin`."""
    return begin + timedelta(days=2) if unit == "weekend" else shift(begin, unit, 1)


def name_of(unit: str, begin: datetime) -> str:
    """TIMEX3 value of the period of this `unit` that begins at `begin`: "2026-W04", "2026-Q1", "202" (a decade)."""
    year = f"{begin.year:04d}"
    if unit in ("week", "weekend"):
        iso = begin.isocalendar()
        return f"{iso.year:04d}-W{iso.week:02d}" + ("-WE" if unit == "weekend" else "")
    if unit == "season":
        return f"{year}-{_SEASON_OF_MONTH[begin.month - 1]}"
    names = {
        "century": year[:2],
        "decade": year[:3],
        "year": year,
        "half": f"{year}-H{(begin.month + 5) // 6}",
        "quarter": f"{year}-Q{(begin.month + 2) // 3}",
        "month": f"{year}-{begin.month:02d}",
        "fortnight": "P2W",
        "hour": begin.isoformat(timespec="hours"),
        "minute": begin.isoformat(timespec="minutes"),
        "second": begin.isoformat(timespec="seconds"),
    }
    return names.get(unit, begin.date().isoformat())


def weekday_of_week(moment: datetime, weekday: int) -> datetime:
    """Day `weekday` (Monday is 0) of the ISO week of `moment`."""
    return start_of("week", moment) + timedelta(days=weekday)


def easter(year: int) -> datetime:
    """Easter Sunday in the Gregorian calendar (the anonymous computus, as printed by Meeus)."""
    golden, century = year % 19, year // 100
    solar = century - century // 4 - (8 * century + 13) // 25
    epact = (solar + 19 * golden + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    days = moon - sunday
    month = 3 + (days + 40) // 44
    return datetime(year, month, days + 28 - 31 * (month // 4))


def islamic(year: int, month: int, day: int) -> datetime:
    """Return the first time in the Gregorian `year` that an Islamic month and day begin, by the tabular calendar
    (30-year cycle with 11 leap years, epoch 15 July 622)."""
    hijri = (year - 622) * 33 // 32 - 1
    while (found := _from_hijri(hijri, month, day)).year < year:
        hijri += 1
    return found


def _from_hijri(year: int, month: int, day: int) -> datetime:
    days = day + (59 * (month - 1) + 1) // 2 + (year - 1) * 354 + (3 + 11 * year) // 30
    return datetime(622, 7, 18) + timedelta(days=days - 1)
