"""The last look at what becomes a fact: its files, what it keeps of persons and agents, and how it is trained."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem.cognify import facts, last_look
from graphmem.cognify.features import Read
from graphmem.cognify.last_look import last_features
from graphmem.cognify.source import Source
from graphmem.model.events import Event

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)
AROUND = "I had a look at the page of the ferry this morning and it works fine. {} Now go on with the next page."
ORDER = (
    "Here is what we know so far, please read it with care before you go on.\n\n"
    + "- The ferry page has a header, a table and a footer.\n" * 6
    + "- {}\n\nNow implement the page of the crane."
)


def contents(text: str, type_: str = "user_prompt") -> list[str]:
    role = "user" if type_ == "user_prompt" else "assistant"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return [fact["content"] for fact in body["facts"]] if body else []


@pytest.mark.parametrize("speaker", ["agent", "user"])
def test_the_weights_are_whole_and_name_what_they_were_trained_on(speaker: str) -> None:
    model = json.loads(last_look.WEIGHTS[speaker].read_text("utf-8"))
    assert type(model["bias"]) is int and all(type(weight) is int for weight in model["weights"].values())
    assert len(model["trained_on"]) > 20 and all("/" in project for project in model["trained_on"])


@pytest.mark.parametrize("around", ["{}", AROUND, ORDER])
@pytest.mark.parametrize(
    "said",
    [
        "Never push to main.",
        "Always run the tests before committing.",
        "Use ruff instead of flake8.",
        "The cache TTL is 45 seconds.",
        "The release is on 27 March.",
        "Production runs Python 3.12.",
        "We no longer use Jenkins.",
        "Let's use SQLite for the cache instead of Redis.",
    ],
)
def test_orders_decisions_and_values_of_a_person_are_kept_wherever_they_stand(around: str, said: str) -> None:
    assert len(contents(around.format(said))) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Key type is not known to the form.",
        "The columns of the ferry and of the crane are clipped.",
        "I also edited that file and the pier never appears.",
        "The `berth` library is not recognized within the shell.",
    ],
)
def test_complaints_of_a_person_are_no_facts(said: str) -> None:
    assert contents(AROUND.format(said)) == []


def test_scores_and_marks_are_features() -> None:
    read = Read(
        "SQLite does not support two writers.", "property", "agent", "SQLite does not support two writers.", 0, 36
    )
    found = last_features(read, [], frozenset({"found", "kept"}))
    assert found["is found"] == found["is kept"] == 1 and "is claimed" not in found
    assert found["first look"] > 0


def test_training_weighs_marks(tmp_path: Path) -> None:
    rows = []
    for number in range(20):
        for marks, label in ((["kept", "found"], "keep"), (["kept"], "drop")):
            said = f"Pier {number} holds one ferry."
            read = Read(said, "property", "agent", said, 0, len(said))
            rows.append(read._asdict() | {"project": f"harbour/{number % 2}", "label": label, "marks": marks})
    labelled, output = tmp_path / "labelled.jsonl", tmp_path / "weights.json"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = [sys.executable, "-m", "graphmem.cognify.training", str(labelled), "--last", "agent"]
    subprocess.run([*command, "--output", str(output)], check=True)
    assert json.loads(output.read_text("utf-8"))["weights"]["is found"] > 0
    told = subprocess.run([*command, "--check"], check=True, capture_output=True, text=True).stdout
    assert told.startswith("first 20 (from ") and "keep 1.00, drop 0.00" in told


def test_a_decision_that_an_agent_reports_is_kept() -> None:
    said = "The sum is taken over floats. We decided to keep whole cents everywhere, because rounding once a night is what drifts."
    assert contents(said, "agent_response") == [
        "The team decided to keep whole cents everywhere, because rounding once a night is what drifts."
    ]
