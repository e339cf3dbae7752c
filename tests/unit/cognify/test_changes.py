"""Scenarios of change, told turn by turn to a real store: what holds now is the first answer, what was replaced is marked,
and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from graphmem import Memory

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FILE = Path(__file__).parents[3] / "fixtures" / "changes" / "scenarios.txt"


class Scenario(NamedTuple):
    language: str
    half: str
    said: list[str]
    question: str
    answer: str
    ended: list[str]
    kept: list[str]
    contested: list[str]


def scenarios() -> Iterator[Scenario]:
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            (language, half), *parts = (
                part.strip().split(" ") if not n else part.strip() for n, part in enumerate(line.split(" | "))
            )
            marked = {mark: [p[2:] for p in parts if p.startswith(f"{mark} ")] for mark in "?xkc"}
            question, _, answer = marked["?"][0].rpartition(" = ")
            said = [p for p in parts if p.startswith(("user: ", "agent: ", "note: "))]
            yield Scenario(language, half, said, question, answer, marked["x"], marked["k"], marked["c"])


class Outcome(NamedTuple):
    """Of one scenario: is the current answer first; of what was due how much was superseded, contested, kept."""

    first: bool
    ended: list[bool]
    kept: list[bool]
    contested: list[bool]
    former: bool


def play(folder: Path, scenario: Scenario) -> Outcome:
    with Memory.open(folder, project="changes") as memory:
        for day, line in enumerate(scenario.said):
            who, _, text = line.partition(": ")
            at = START + timedelta(days=day)
            if who == "note":
                memory.remember(text, at=at)
            else:
                memory.observe(text, role="user" if who == "user" else "assistant", session="talk", at=at)
        memory.process()
        hits = memory.search(scenario.question, k=5).hits
        facts = memory.cypher("MATCH (f:Fact) RETURN f.content, f.status").rows
        old = [hit.content for hit in memory.search(f"What was it before: {scenario.question}", k=5).hits[:3]]
    status = lambda wanted: [s for content, s in facts if re.search(wanted, content, re.I)]
    return Outcome(
        bool(hits) and bool(re.search(scenario.answer, hits[0].content, re.I)),
        ["superseded" in status(x) for x in scenario.ended],
        ["superseded" not in status(k) for k in scenario.kept],
        ["contested" in status(c) for c in scenario.contested],
        all(any(re.search(x, text, re.I) for text in old) for x in scenario.ended),
    )


@pytest.mark.parametrize("half", ["seen", "held"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_holds_now_is_told_first_and_what_was_replaced_is_marked(language: str, half: str, tmp_path: Path) -> None:
    played = [
        (s, play(tmp_path / str(number), s))
        for number, s in enumerate(scenarios())
        if (s.language, s.half) == (language, half)
    ]
    for scenario, outcome in played:
        if not (
            outcome.first and all(outcome.ended) and all(outcome.kept) and all(outcome.contested) and outcome.former
        ):
            print(outcome, scenario.said)
    outcomes = [outcome for _, outcome in played]
    share = lambda values: sum(values) / max(1, len(values))
    print(
        language, half, len(outcomes), "first", share([o.first for o in outcomes]),
        "ended", share([e for o in outcomes for e in o.ended]), "kept", share([k for o in outcomes for k in o.kept]),
        "contested", share([c for o in outcomes for c in o.contested]), "former", share([o.former for o in outcomes if o.ended]),
    )  # fmt: skip
    assert all(k for o in outcomes for k in o.kept)
    assert share([o.first for o in outcomes]) >= 0.75
    assert share([e for o in outcomes for e in o.ended]) >= 0.6
    assert share([c for o in outcomes for c in o.contested]) >= 0.9 or not any(o.contested for o in outcomes)
    assert share([o.former for o in outcomes if o.ended]) >= 0.9
