"""The second look at what the classifier would keep: its file, its order of clear examples, what happens without it, and that
it decides the same in every process; and what a person orders only for the work at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.cognify import classifier, facts, last_look, second_look
from graphmem.cognify.classifier import UNIT, load_model, score_of
from graphmem.cognify.features import Read
from graphmem.cognify.layout import features_around
from graphmem.cognify.orders import is_for_now
from graphmem.cognify.second_look import all_features
from graphmem.cognify.source import Source
from graphmem.model.events import Event
from graphmem.text.entities import extract_all

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)
REPORT = """I went through the ferry service and its tests, as agreed, and this is what came out of it.

## Root cause

{said}

I ran the whole suite again, cleaned up the branch, and wrote the notes for the next shift into the log book of the pier.
The harbour master asked for a short summary as well, which is in the ticket, and the schedule of the week is in the usual place.

## Remaining work

- Look through the old cargo list before the end of the month.
- Show the new schedule page to the harbour master in the meeting on the next day, together with the list of the ferries.
- Bring the two branches together, and go on with the review of the crane as it was planned before.
- Ask the captain of the second ferry whether he has time for a trial run on the evening of the day after the meeting.
- Think about the colours of the page again, and about the names of the buttons in the upper row.

Nothing else was touched in this session, and all of the open questions are written down in the ticket, each with a short note.
"""
KEPT = (
    "The SQLite driver does not support a `WHERE` clause in a table-level `UNIQUE` constraint, so `create_berths` failed.",
    "`MOORING_URL` must be set in both services, not only in the crane, because the ferry reads it at start.",
)
DROPPED = (
    "The agent has updated the schedule page and all of the tests are passing now.",
    "Updated the layout so that the new format looks better than the old one.",
    "If the first option is fine, the agent will move the remaining buttons next.",
)


def score(said: str) -> int:
    model, text = load_model(second_look.WEIGHTS), REPORT.format(said=said)
    assert model
    start = text.index(said)
    (mentions,) = extract_all([said], linguistic=False, generic=False)
    return score_of(model, all_features(Read(said, "property", "agent", text, start, start + len(said)), mentions))


def contents(text: str, type_: str = "agent_response") -> list[str]:
    role = "user" if type_ == "user_prompt" else "assistant"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return [fact["content"] for fact in body["facts"]] if body else []


@pytest.fixture
def _without_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(second_look, "WEIGHTS", tmp_path / "none.json")
    monkeypatch.setattr(last_look, "WEIGHTS", dict.fromkeys(last_look.WEIGHTS, tmp_path / "none.json"))
    yield


def test_the_file_of_the_model_has_whole_weights_and_names_what_it_was_trained_on() -> None:
    model = json.loads(second_look.WEIGHTS.read_text("utf-8"))
    assert type(model["bias"]) is int and all(type(weight) is int for weight in model["weights"].values())
    assert len(model["trained_on"]) > 20 and all("/" in project for project in model["trained_on"])


def test_clear_examples_are_scored_in_the_right_order() -> None:
    assert min(map(score, KEPT)) > round(0.43 * UNIT) > round(0.3 * UNIT) > max(map(score, DROPPED))


@pytest.mark.parametrize("said", KEPT)
def test_what_holds_beyond_the_session_stays_a_fact(said: str) -> None:
    assert contents(REPORT.format(said=said)) == [said]


def test_the_layout_around_a_sentence_counts() -> None:
    under_cause = REPORT.format(said=KEPT[0])
    under_plan = under_cause.replace("## Root cause", "## Next steps")
    place = under_cause.index(KEPT[0])
    assert "under cause" in features_around(under_cause, place)
    assert "under plan" in features_around(under_plan, under_plan.index(KEPT[0]))
    assert "under no heading" in features_around(under_cause, 3)


PASSING = "We decided to assume that `ferry.title` is fine for the pier."


def test_the_second_look_drops_what_the_first_one_kept() -> None:
    assert contents(REPORT.format(said=PASSING)) == []


SHORT_KEPT = (
    "`actions/setup-berth` does not support hidden paths, so the ferry never found its files.",
    "SQLite requires a full scan for `LIKE` without an index on the column.",
)
SHORT_DROPPED = (
    "`Berth.lay()` requires a non-null `Rope`, which the harbour does not provide.",
    "`docker compose up -d crane pier` recreated and started crane and pier (the rope was already running).",
    "The URL shows `localhost:3000/berths/undefined`, which means the berth is `undefined` at the moment.",
    "The user is reporting that the links of `Harbour` do not respond to clicks.",
)


@pytest.mark.parametrize("said", SHORT_KEPT)
def test_a_lasting_finding_in_a_short_answer_is_kept(said: str) -> None:
    assert contents(f"I looked at the pier.\n\n{said}\n\nShall I go on with the rest of it?") == [said]


@pytest.mark.parametrize("said", SHORT_DROPPED)
def test_what_a_short_answer_tells_of_the_moment_is_dropped(said: str) -> None:
    assert contents(f"I looked at the pier.\n\n{said}\n\nShall I go on with the rest of it?") == []


@pytest.mark.usefixtures("_without_weights")
def test_without_its_weights_the_first_model_decides_alone() -> None:
    assert contents(REPORT.format(said=PASSING)) == [
        "The team decided to assume that `ferry.title` is fine for the pier."
    ]


def test_without_any_weights_the_rules_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "WEIGHTS", tmp_path / "none.json")
    assert contents("Never moor two ferries at one pier.", "user_prompt") == ["Never moor two ferries at one pier."]
    assert contents(REPORT.format(said=KEPT[1])) == [KEPT[1]]


def test_a_remembered_sentence_is_never_judged() -> None:
    payload = {"content": DROPPED[0], "kind": "fact"}
    event = Event(1, "e1", "memory_remembered", 1, MONDAY, MONDAY, "o", "s", "p", "", payload)
    (body,) = facts.derive([Source(event, "Memory", "e1", "e1")])
    assert body and body["content"] == DROPPED[0]


def decided() -> str:
    """All that is decided here, as text."""
    return str(([score(said) for said in KEPT + DROPPED], contents(REPORT.format(said=KEPT[0]))))


def test_every_process_decides_the_same() -> None:
    program = "import sys; sys.path.insert(0, sys.argv[1]); import test_second_look as t; print(t.decided())"
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    elsewhere = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__).parent)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert elsewhere == decided() and KEPT[0] in elsewhere


def test_a_prior_is_corrected_and_not_replaced(tmp_path: Path) -> None:
    rows = []
    for number in range(20):
        for said, label in ((f"Pier {number} must hold one ferry.", "keep"), ("All is done now.", "drop")):
            read = Read(said, "property", "agent", said, 0, len(said))
            rows.append(read._asdict() | {"project": f"harbour/{number % 2}", "label": label})
    labelled, prior, output = tmp_path / "labelled.jsonl", tmp_path / "prior.json", tmp_path / "weights.json"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    prior.write_text(json.dumps({"bias": 100, "weights": {"never seen": 7, "has demand": -3}}), "utf-8")
    command = [sys.executable, "-m", "graphmem.cognify.training", str(labelled), "--prior", str(prior)]
    subprocess.run([*command, "--output", str(output)], check=True)
    model = json.loads(output.read_text("utf-8"))
    assert model["weights"]["never seen"] == 7 and model["weights"]["has demand"] > 0
    assert model["trained_on"] == ["harbour/0", "harbour/1"]


@given(st.text(max_size=400), st.integers(0, 400))
def test_every_text_has_a_layout(text: str, start: int) -> None:
    assert features_around(text, start) == features_around(text, start)


@pytest.mark.parametrize("piece", ["# ", "**", "- **a", "1. ", "a:", " \t", "```\n", "you ", "\n"])
def test_a_hostile_text_takes_no_longer_than_a_plain_one(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.process_time()
    features_around(text, len(text) // 2)
    assert time.process_time() - began < 2


LONG = "Please rework the commit path of the harbour service, it breaks with large files. " * 4


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("I want the cells to be aligned center.", "preference", ""),
        ("I'm worried that we were using the wrong piers at the wrong time.", "rule", ""),
        ("Go ahead and update the harbour rule in the most concise way.", "decision", ""),
        ("Don't stop until you have completed all the to-dos.", "rule", ""),
        ("And do not update the seeds file for now.", "rule", ""),
        ("The header is truncated on the schedule page.", "property", ""),
        ("The mooring step in the guide now works properly.", "fix", ""),
        ("Do not skip verification.", "rule", LONG),
        ("Do not leave failures only in logs.", "rule", LONG),
    ],
)
def test_what_a_person_orders_for_the_work_at_hand_is_no_fact(said: str, kind: str, text: str) -> None:
    assert is_for_now(said, said, kind, text + said)
    assert said not in contents(text + said, "user_prompt")


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("I want every fix to have a test.", "preference", ""),
        ("I prefer small commits with the reason in the body.", "preference", ""),
        ("Do not use Docker.", "rule", LONG),
        ("Do not add more agents until the contracts and tests are stable.", "rule", LONG),
        ("Never push to the release branch.", "rule", LONG),
        ("We decided against microservices for now.", "decision", ""),
        ("커밋 메시지는 한국어로 쓰는 걸 선호해.", "preference", ""),
    ],
)
def test_what_holds_for_good_is_no_order_of_the_day(said: str, kind: str, text: str) -> None:
    assert not is_for_now(said, said, kind, text + said)
