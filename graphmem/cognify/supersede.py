"""Decides which facts are superseded and which contradict each other. Only claims with the same subject and the same
functional predicate are compared: comparing facts by similarity, as some memory systems do, supersedes many that still hold.
Each verdict states its reason, and a person can revert it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from graphmem import resources
from graphmem.cognify.assertions import differ_in_number, differ_in_one_place, singular
from graphmem.cognify.claims import CORRECTION, SAYS, Claim
from graphmem.patterns import compile_later

_ALTERNATIVES = "queries/claims/alternatives.txt"
_SHARED = frozenset({"reviewer"})  # several may have such a role at once: only a change ends the one before


class Claimed(NamedTuple):
    """A claim with the fact that makes it: `valid` when it holds from, `recorded` when the store learnt of it, `at` when
    it was said (all microseconds), `authority` 2 for a person, their own commit or memory, or what they approved, 1 for an
    agent and where it is uncertain who wrote, 0 for what strangers say. `is_written_down`: an explicit memory;
    `is_approved` by a person."""

    fact: str
    project: str
    session: str
    claim: Claim
    valid: int
    recorded: int
    at: int
    authority: int
    is_written_down: bool = False
    is_approved: bool = False


class Verdict(NamedTuple):
    """`newer` replaces `older`, or (`replaces` false) both stand against each other."""

    newer: Claimed
    older: Claimed
    replaces: bool
    reason: str


def topics_of(claim: Claim) -> frozenset[str]:
    """Return what a claim is compared under: its subject, and where it tells of a change of the thing itself ("moved
    the dev server to …"), that thing."""
    if not claim.subject and claim.changed and claim.predicate and claim.predicate != CORRECTION:
        return frozenset({"", claim.predicate})
    return frozenset({claim.subject})


def supersession_verdicts(claims: Iterable[Claimed], decided: Mapping[tuple[str, str], bool]) -> list[Verdict]:
    """Return all verdicts on the claims of one project and topic, in the order of valid time. `decided` is what a
    person said of (newer, older): that it is so, or that it is not; it wins over every rule."""
    holding: list[Claimed] = []
    found: list[Verdict] = []
    for new in sorted(claims, key=_order):
        left = []
        for old in holding:
            verdict = _verdict(new, old, decided)
            found += [verdict] if verdict else []
            if not (verdict and verdict.replaces):
                left.append(old)
        holding = [*left, new]
    return found


def _order(claimed: Claimed) -> tuple[int, int, bool, str]:
    """Return the place of a claim in time. Of what one turn says, the sentence that tells of a change comes last."""
    return claimed.valid, claimed.recorded, claimed.claim.changed, claimed.fact


def manual_verdicts(
    decided: Mapping[tuple[str, str], bool], facts: Mapping[str, Claimed], known: Collection[tuple[str, str]]
) -> Iterator[Verdict]:
    """Yield what a person said of two facts that no rule compares."""
    for (newer, older), holds in decided.items():
        if holds and (newer, older) not in known and newer in facts and older in facts:
            yield Verdict(facts[newer], facts[older], True, "said so")


def _verdict(new: Claimed, old: Claimed, decided: Mapping[tuple[str, str], bool]) -> Verdict | None:
    why = _conflict(new.claim, old.claim) if new.project == old.project else ""
    if not why or decided.get((new.fact, old.fact)) is False or decided.get((old.fact, new.fact)) is False:
        return None
    return Verdict(new, old, decided.get((new.fact, old.fact), _replaces(new, old)), why)


def _conflict(new: Claim, old: Claim) -> str:
    """Return why both cannot hold at once, "" where they can."""
    if new.subject != old.subject:
        return _moved(new, old)
    subject = f"`{new.subject}`" if new.subject else "the project"
    if new.predicate == SAYS or old.predicate == SAYS:
        return _said_otherwise(new, old, subject) or _moved(new, old)
    if new.predicate == old.predicate:
        if new.predicate in _SHARED and not new.changed:
            return ""  # several may have it
        if not new.value and new.changed and not new.holds and old.value and old.holds:
            return f"{new.predicate} of {subject}: {old.value} -> taken back"
        same = value_key(new.value) == value_key(old.value)
        if not same and new.holds and old.holds:
            return f"{new.predicate} of {subject}: {old.value} -> {new.value}"
        if same and new.holds != old.holds:
            was, now = ("held", "does not") if old.holds else ("did not", "holds")
            return f"{new.predicate} {new.value}".rstrip() + f" of {subject}: {was} -> {now}"
        return ""
    if replaced := _replaces_tool(new, old):
        return f"{subject} went from {replaced} to {new.predicate.removeprefix('uses ')}"
    chosen = new.changed and new.predicate.startswith("choice: ") and not old.predicate.startswith("choice")
    if chosen and old.holds and (old.value == new.former or old.predicate == f"uses {new.former}"):
        return f"{subject} went from {new.former} to {new.value}"
    if not old.holds:
        return ""
    if (
        new.former
        and new.predicate == "replaced"
        and value_key(new.former) in (value_key(old.value), old.predicate[5:])
    ):
        return f"{new.former} was replaced by {new.value}"
    if new.changed and not new.holds and new.predicate == f"uses {old.value}":
        return f"{subject} no longer uses {old.value}"
    return _moved(new, old)


def _replaces_tool(new: Claim, old: Claim) -> str:
    """Return the tool that a change to another one ("the team is on Postgres now") ends: one that takes its place, or the
    alternative that was chosen between both; "" if there is none."""
    if not (new.changed and new.holds and old.holds and new.predicate.startswith("uses ")):
        return ""
    now = new.predicate.removeprefix("uses ")
    if old.predicate.startswith("choice: "):
        return old.value if now != old.value and now in old.predicate[8:].split(" | ") else ""
    lines = alternatives()
    was = old.predicate.removeprefix("uses ") if old.predicate.startswith("uses ") else old.value
    if was == now or lines.get(now) is None or lines.get(was) != lines[now]:
        return ""
    return was if old.predicate in (f"uses {was}", lines[now]) else ""


@cache
def alternatives() -> dict[str, str]:
    """Return for each known tool what it is an alternative for: "postgres" -> "database"."""
    found: dict[str, str] = {}
    for line in resources.text(_ALTERNATIVES).splitlines():
        if line and not line.startswith("#"):
            name, _, tools = line.partition(" | ")
            found |= dict.fromkeys(tools.split(", "), name)
    return found


def _said_otherwise(new: Claim, old: Claim, subject: str) -> str:
    """Return why two plain assertions of one subject exclude each other: the newer one says that something changed,
    or cites another source, and they differ in one place or in the denial."""
    if new.predicate != old.predicate:
        return ""
    if new.holds and old.holds and differ_in_number(new.value, old.value):
        return f"{subject}: {old.value} -> {new.value}"
    if not (new.changed or new.reported or old.reported):
        return ""
    if new.value == old.value and new.holds != old.holds:
        return f"{subject} {new.value}: {'holds again' if new.holds else 'no longer'}"
    if new.holds and old.holds and differ_in_one_place(new.value, old.value):
        return f"{subject}: {old.value} -> {new.value}"
    return ""


def _moved(new: Claim, old: Claim) -> str:
    """Return why a change of a thing ("moved the dev server to port 5173") ends an earlier claim about it in other
    words: the value before is named in it, or it has a value of the same kind."""
    if not (new.changed and new.holds and old.holds and new.value and new.predicate and new.predicate != CORRECTION):
        return ""
    about = {new.subject} if new.subject else {new.predicate}
    if old.subject not in about or not old.subject or (old.changed and old.predicate == new.predicate):
        return ""
    before = f"{_spoken(old)} {old.value}".strip()
    if new.former:
        former = _words_of(new.former)
        return (
            f"`{old.subject}` went from {new.former} to {new.value}" if former and former <= _words_of(before) else ""
        )
    if new.subject or value_key(new.value) == value_key(old.value):
        return ""
    kind = _kind_of_value(new.value)
    placed = old.predicate == "location" and kind in ("name", "path", "address")
    alike = placed or (
        kind and kind == _kind_of_value(before.rpartition(" to ")[2] if old.predicate == SAYS else before)
    )
    return f"`{old.subject}` went to {new.value} ({before} before)" if alike else ""


def _spoken(claim: Claim) -> str:
    """Return the predicate as a part of the sentence: "port", "" for one that only names a relation."""
    head = claim.predicate.removeprefix("version of ")
    return (
        ""
        if claim.predicate in (SAYS, "location", "tool", "deployment", "date", "time", "duration", "version")
        else head
    )


def _words_of(text: str) -> frozenset[str]:
    return frozenset(singular(word.strip("`'\",.")) for word in text.lower().split()) - {
        "the",
        "a",
        "an",
        "port",
        "version",
    }


def _kind_of_value(text: str) -> str:
    """Return what kind of value a text ends with: "address", "path", "number seconds", "date", "name"; "" for a
    description."""
    words = text.split()
    last = words[-1] if words else ""
    if re.search(r"https?://", text):
        return "address"
    if re.search(_CALENDAR, text, re.I):
        return "date"
    if "/" in last or re.fullmatch(r"[\w-]+\.(?!\d)\w{1,5}", last):
        return "path"
    number = re.search(r"(?P<name>[^\W\d]+ )?v?\d[\d.,]*(?P<unit>[^\W\d]*| [^\W\d]+)$", text)
    if number:
        unit = number["unit"].strip()
        return f"number {_UNITS.get(unit, unit) or (number['name'] or '').strip()}"
    return "name" if len(words) <= 4 else ""


_CALENDAR = (
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|\d{4}-\d\d)\b|\d+월"
)
_UNITS = {"seconds": "s", "second": "s", "secs": "s", "sec": "s", "minutes": "min", "minute": "min", "mins": "min",
          "hours": "h", "hour": "h", "milliseconds": "ms", "days": "d", "day": "d", "초": "s", "분": "min",
          "시간": "h", "일": "d"}  # fmt: skip
_NUMBERS = {
    word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_QUANTITY = compile_later(r"(?<=\d) ?(?P<unit>[a-z가-힣]+)\b")


def value_key(value: str) -> str:
    """Return what two spellings of one value share: "45 seconds", "45s" and "45 초" are one."""
    text = _QUANTITY.sub(lambda m: _UNITS.get(m["unit"], m["unit"]), value.lower().strip("`'\" ."))
    return " ".join(sorted(_NUMBERS.get(word, word) for word in re.split(r"[\s,]+", text) if word not in ("the", "of")))


def _replaces(new: Claimed, old: Claimed) -> bool:
    """Return whether the world moved on, rather than two sources disagreeing: the newer one tells of a change, or is
    at least as good a source and says when."""
    if new.claim.reported:
        return False  # nobody knows whether the source it cites is older
    if new.authority == 0 < old.authority:
        return False  # a stranger replaces nothing that a person or their agent said
    if is_held_back(new, old) or (new.is_approved and old.is_approved and not new.claim.changed):
        return False
    if new.valid == old.valid:
        return new.claim.changed and not old.claim.changed
    if new.claim.changed or new.claim.former:
        return True
    if new.claim.holds != old.claim.holds and new.authority == old.authority == 1:
        return new.session == old.session  # it looked again; across sessions one of the two is wrong
    return new.authority >= old.authority


def is_held_back(new: Claimed, old: Claimed) -> bool:
    """Return whether an agent wrote down what contradicts a person: it does not replace that, both are contested."""
    return new.is_written_down and new.authority < old.authority


class FactStatus(NamedTuple):
    """The status of a fact: `valid_to` is when it stopped being true (0: it is still true), `retired_at` when the store
    learned that, and `until` the time from which searches leave it out. All times are in microseconds since 1970."""

    status: str
    valid_to: int = 0
    retired_at: int = 0
    until: int = 0


def fact_statuses(found: Iterable[Verdict]) -> Iterator[tuple[str, FactStatus]]:
    """Return how the facts stand that are not simply active. What was replaced is no longer contested."""
    states: dict[str, FactStatus] = {}
    for verdict in found:
        new, old = verdict.newer, verdict.older
        if verdict.replaces:
            retired = max(new.recorded, old.recorded)
            states[old.fact] = FactStatus("superseded", new.valid, retired, max(new.at, old.at))
        else:
            for one in (new, old):
                states.setdefault(one.fact, FactStatus("contested"))
    superseded = {fact for fact, state in states.items() if state.status == "superseded"}
    open_ = {
        one.fact
        for v in found
        if not v.replaces and not superseded & {v.newer.fact, v.older.fact}
        for one in (v.newer, v.older)
    }
    return ((fact, state) for fact, state in states.items() if state.status == "superseded" or fact in open_)
