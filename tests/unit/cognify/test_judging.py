"""The classifier that tells what a careful colleague would keep: the same score in every process, features of any text, and
the facts of long reports, of which rules recognise a part only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.cognify import facts
from graphmem.cognify.classifier import UNIT, WEIGHTS, worth_of
from graphmem.cognify.features import Read, features_of
from graphmem.cognify.lasting import is_passing
from graphmem.cognify.orders import is_for_now
from graphmem.cognify.source import Source
from graphmem.model.events import Event

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)
REPORT = """The agent went through the harbour service and its tests, as agreed, and this is what came out of it.

First the agent looked at the crane module and at how the cargo list is loaded, then at the schedule of the ferries.

{said}

After that the agent ran the whole suite again, cleaned up the branch, and wrote the notes for the next shift into the log book.
"""
KEPT = "`MOORING_URL` must be set in both services, not only in the crane, because the ferry reads it at start."
NARRATED = "The agent has updated the schedule page and all of the tests are passing now."


def said_in(text: str, said: str) -> Read:
    start = text.index(said)
    return Read(said, "property", "agent", text, start, start + len(said))


def contents(text: str, type_: str = "agent_response") -> list[str]:
    role = "user" if type_ == "user_prompt" else "assistant"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return [fact["content"] for fact in body["facts"]] if body else []


def test_a_lasting_constraint_is_worth_more_than_narration() -> None:
    report = REPORT.format(said=f"{KEPT}\n\n{NARRATED}")
    assert worth_of(said_in(report, KEPT)) > 0.4 * UNIT > 0.2 * UNIT > worth_of(said_in(report, NARRATED))


def test_of_a_report_what_lasts_becomes_a_fact_and_narration_does_not() -> None:
    assert contents(REPORT.format(said=f"{KEPT}\n\n{NARRATED}")) == [KEPT]


def test_what_an_agent_only_thinks_is_no_fact() -> None:
    assert contents(REPORT.format(said=f"<thinking-1f>\n{KEPT}\n</thinking-1f>")) == []


@pytest.mark.parametrize(
    "said",
    [
        "Always uses the current crane layer.",
        "The crane CLI is trying to import `Mooring` from `src.ferry`, which has none.",
        "The best fix is to remove the second crane from the schedule.",
        "The crane module is in good shape and the code is clean and consistent now.",
        "Line 88 of `crane.py` still returns the old value, so this test is failing.",
        "The second option looks better than the first one.",
        "Added tests for the crane and updated the documentation.",
    ],
)
def test_what_an_agent_tells_of_its_work_in_a_report_is_no_fact(said: str) -> None:
    assert contents(REPORT.format(said=said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Never moor two ferries at one pier.",
        "Use `anchor` instead of `chain`.",
        "Alice owns the crane service.",
        "The harbour build takes 14 minutes on CI.",
        "앞으로 커밋 메시지는 영어로 작성해 주세요.",
    ],
)
def test_what_a_person_settles_in_a_few_words_needs_no_score(said: str) -> None:
    assert contents(said, "user_prompt") == [said]


@pytest.mark.parametrize(
    "said",
    [
        "[harbour] error=The crane extension requires a second motor to be used.",
        "GRANT ALL PRIVILEGES ON DATABASE harbour TO crane;",
        "Split the cargo list into cranes and ferries (80/20)",
        "Turn off the horizontal scroll on /piers on phones",
        "Complete the remaining fixes for 100% coverage of the crane",
        "the crane gets squished in the pier and it says it doesn't have a thumb.png",
        "Do not take action, just tell me what to do",
        "Napraw ten błąd w pliku harbour.py, proszę.",
        "@agent try again with the 4 cranes",
    ],
)
def test_what_a_person_orders_complains_of_or_pastes_is_no_fact(said: str) -> None:
    assert contents(said, "user_prompt") == []


def test_of_a_long_prompt_what_binds_is_kept_and_narration_is_not() -> None:
    prompt = (
        "so here is where we are, I looked at it over lunch and honestly the page is a bit of a mess\n\n"
        "the buttons of the crane page are too small and the text of the title looks weird on my phone, "
        "so we tried a bigger font yesterday but that was not it, and then the menu jumped around again.\n"
        "Never let two ferries share one pier, the insurance does not cover it.\n"
        "Because now, when one pier has fewer ferries, the column looks pretty weird.\n"
        "The insurer of the harbour is called once a week, as always."
    )
    found = contents(prompt, "user_prompt")
    assert "Never let two ferries share one pier, the insurance does not cover it." in found
    assert not [one for one in found if "weird" in one or "buttons" in one]


def test_what_a_program_printed_into_a_long_prompt_is_no_rule() -> None:
    printed = ["No label associated with a form field", "No function clause matching in Crane.lift"]
    prompt = "\n".join(["The ferry stopped again, here is what it says:", *printed * 8])
    assert contents(prompt, "user_prompt") == []


def test_no_sentence_in_a_language_that_cannot_be_read_becomes_a_fact() -> None:
    assert contents(REPORT.format(said="Serwer MCP zawsze używa portu 8000, nigdy `PORT` z pliku `.env`.")) == []


def test_the_score_is_the_same_in_every_process() -> None:
    report = REPORT.format(said=KEPT)
    program = (
        "import json, sys; from graphmem.cognify.features import Read; from graphmem.cognify.classifier import worth_of;"
        "print(worth_of(Read(*json.load(sys.stdin))))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(said_in(report, KEPT)),
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {str(worth_of(said_in(report, KEPT)))}


@given(st.text(max_size=400), st.sampled_from(["user", "agent"]), st.data())
def test_every_text_has_features(text: str, speaker: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    read = Read(text[start:end], "property", speaker, text, start, end)
    found = features_of(read)
    assert all(type(count) is int and count > 0 for count in found.values())
    assert isinstance(worth_of(read), int) and features_of(read) == found


def test_every_weight_belongs_to_a_feature_that_occurs() -> None:
    names = json.loads(WEIGHTS.read_text("utf-8"))["weights"]
    report = REPORT.format(said=f"{KEPT}\n\n{NARRATED}")
    found = features_of(said_in(report, KEPT)) | features_of(said_in(report, NARRATED))
    assert found and found.keys() & names.keys()
    assert all(type(weight) is int for weight in names.values())


def rows() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for project in ("harbour", "depot"):
        for number in range(12):
            for said, label in ((f"Pier {number} must never hold two ferries.", "keep"), ("All is done now.", "drop")):
                read = Read(said, "property", "agent", said, 0, len(said))
                found.append(read._asdict() | {"project": project, "label": label})
    return found


def train(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    command = [sys.executable, "-m", "graphmem.cognify.training", str(labelled), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_training_writes_weights_that_tell_apart_what_was_labelled(tmp_path: Path) -> None:
    train(tmp_path, "--first", "--output", str(tmp_path / "weights.json"))
    model = json.loads((tmp_path / "weights.json").read_text("utf-8"))

    def score(said: str) -> int:
        found = features_of(Read(said, "property", "agent", said, 0, len(said)))
        return int(model["bias"] + sum(count * model["weights"].get(name, 0) for name, count in found.items()))

    assert score("Pier 40 must never hold two ferries.") > 0.6 * UNIT > 0.4 * UNIT > score("All is done now.")


def test_a_check_tries_each_project_with_a_model_of_the_others(tmp_path: Path) -> None:
    before = WEIGHTS.read_bytes()
    lines = train(tmp_path, "--first", "--check").stdout.splitlines()
    assert lines[0].startswith("first 20 ") and "keep 1.00, drop 0.00, 0.83 of those to keep" in lines[0]
    assert WEIGHTS.read_bytes() == before


@pytest.mark.parametrize(
    "raw",
    [
        "Don't write code.",
        "Please create a section in the documentation that captures the decision to use Railway instead of other options.",
        "Feel free to search the web again.",
        "Ok I've merged the latest work into main, and now will test again.",
        "The login works, but the agent never starts.",
    ],
)
def test_what_is_said_of_the_work_at_hand_is_for_now(raw: str) -> None:
    assert is_for_now(raw, raw, "property", raw)


@pytest.mark.parametrize(
    "raw",
    [
        "Don't use tabs.",
        "Please note that our security contact has changed to Omar Haddad.",
        "Please never push to main.",
    ],
)
def test_what_is_said_for_good_is_not(raw: str) -> None:
    assert not is_for_now(raw, raw, "property", raw)


def test_an_agent_tells_of_the_moment() -> None:
    assert is_passing("The `pkill` command is still too broad.")
    assert is_passing("Both timeouts are set to 60 seconds, which means they're equal.")
    assert not is_passing("Railway expects the app to bind to `process.env.PORT`.")
