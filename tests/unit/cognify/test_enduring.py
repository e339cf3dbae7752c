"""What is worth keeping still has to hold beyond the work at hand, and what a session ends is no longer a fact after it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.cognify.enduring import Kept, endures
from graphmem.cognify.mended import find_mended
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.statements import Statement
from graphmem.text.entities import extract_all

START = datetime(2026, 3, 9, 9, tzinfo=UTC)


def lasts(said: str, speaker: str, kind: str = "property", around: str = "{}", *, has_value: bool = False) -> bool:
    text = around.format(said)
    begin = text.index(said)
    statement = Statement(begin, begin + len(said), said, kind)
    kept = Kept(statement, kind, said, text, has_value, frozenset({"kept", "recognised"}))
    return endures(kept, speaker, extract_all([said], linguistic=False, generic=False)[0])


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("property", "Docker ignores `PATH` in the entry point."),
        ("property", "In Pydantic v2, constraints are stored in the `metadata` attribute of fields."),
        ("property", "ANY interaction with moorings MUST go through the harbour office."),
        ("rule", "Always use `jq` for JSON parsing, not `grep`."),
        ("cause", "The import was slow because pandas was loaded at start-up."),
        ("property", "운영 서버는 8443 포트를 쓴다."),
    ],
)
def test_what_an_agent_found_out_for_good_endures(kind: str, said: str) -> None:
    assert lasts(said, "agent", kind)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("property", "The `berth_state` table is defined but not used in the API."),
        ("property", "The FastAPI app has no CORS middleware configured."),
        ("property", "The user's `dist/` folder is fully ESM-compliant."),
        ("property", "`Berth` expects `rope: string`, but `lay()` returns an object."),
        ("property", "The list already returns before any row is rendered, so the link never appears."),
        ("cause", "The error occurs because `SET_BERTH` expects a payload of another type."),
        ("rule", "Must Have: Tests for the directory of berths"),
        ("rule", "Three must-fixes applied; lower-priority items deferred."),
    ],
)
def test_how_the_code_stands_does_not_endure(kind: str, said: str) -> None:
    assert not lasts(said, "agent", kind)


TASK = (
    "Refactor the cards of the pier for consistency with the others.\n\n"
    + "- Keep the gaps as they are.\n" * 12
    + "- {}\n"
)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("rule", "Always use the custom hooks for fetching data."),
        ("rule", "Never call `dock()` outside of `pier.py`."),
        ("rule", "Never commit secrets to git."),
        ("decision", "From now on, work only in the pier folder."),
    ],
)
def test_a_long_order_of_a_person_keeps_what_holds_for_good(kind: str, said: str) -> None:
    assert lasts(said, "user", kind, TASK)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("rule", "Make the header blue."),
        ("decision", "Place the button once, at the bottom of the section."),
        ("property", "The last row of the table is not shown."),
    ],
)
def test_a_long_order_of_a_person_loses_what_is_of_the_task(kind: str, said: str) -> None:
    assert not lasts(said, "user", kind, TASK)


SEVERAL = "I looked at the page of the ferry, it is fine. {} Then go on with the next one, please."


def test_what_a_person_says_among_other_things_is_kept_as_a_rule_and_not_as_a_complaint() -> None:
    assert lasts("Never commit secrets to git.", "user", "rule", SEVERAL)
    assert not lasts("The page looks wrong.", "user", "property", SEVERAL)
    assert not lasts("The arrow is still moving up.", "user", "property", SEVERAL)


def test_a_turn_that_says_one_thing_with_care_is_meant() -> None:
    assert lasts("Never moor two ferries at one pier.", "user", "rule")
    assert lasts("Our pier is made of oak.", "user")
    assert not lasts("so the page of the ferry looks bad", "user")
    assert not lasts("Honestly just put the pier on the next page.", "user", "decision")
    assert not lasts("We build the return flow.From now on, work in the pier folder.", "user", "decision")


def test_what_an_agent_mends_at_once_and_what_a_program_printed_do_not_endure() -> None:
    diagnosis = "Docker has issues with newer versions of Node."
    assert not lasts(diagnosis, "agent", "property", "{} Let me use the binary.")
    assert lasts("Docker ignores `PATH` in the entry point.", "agent", "property", "{} That is all.")
    assert not lasts("⎿ Enabled 1 plugin, disabled 1 plugin.", "user")
    assert not lasts("The check fails on two clusters of the pier.", "agent", "failure", "Done. " * 60 + "{}")


def test_an_order_for_the_page_at_hand_does_not_endure() -> None:
    assert not lasts("Move the text back where it was.", "user")
    assert not lasts("Nope, the arrow is still moving up.", "user")
    assert lasts("Keep the changelog in English.", "user", "rule")


def said(ref: str, minute: int, content: str, role: str = "user") -> dict[str, Any]:
    return {"content": content, "role": role, "session": "s", "ref": ref, "at": START + timedelta(minutes=minute)}


def tool(ref: str, minute: int, **payload: Any) -> dict[str, Any]:
    told = {"tool": "Bash" if "command" in payload else "Edit", "input": {}, "failed": False, **payload}
    return {**said(ref, minute, "ok", "tool"), "metadata": told}


STATUS = "MATCH (f:Fact) RETURN f.content, f.status ORDER BY f.content"
COURSE = [
    said("u1", 0, "Retries are hard-coded to 3 in api/client.py."),
    tool("t1", 1, writes=["api/client.py"]),
    said("u2", 2, "The dev server runs on port 5173."),
]


def test_a_state_ends_with_the_edit_of_its_file_stepwise_and_at_once(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "one", project="demo") as one, Memory.open(tmp_path / "two", project="demo") as two:
        one.observe_many(COURSE)
        one.process()
        for turn in COURSE:
            two.observe_many([turn])
            two.process()
        stepwise = two.cypher(STATUS).rows
        assert stepwise == one.cypher(STATUS).rows
        assert [status for _, status in stepwise] == ["superseded", "active"]
        two.rebuild()
        assert two.cypher(STATUS).rows == stepwise
        two.forget("t1")
        assert [status for _, status in two.cypher(STATUS).rows] == ["active", "active"]


def entries(*bodies: dict[str, Any]) -> list[Entry]:
    common = {"project": "demo", "session": "s", "label": "Turn"}
    return [
        Entry(number, f"e{number}", number, "episodes/9" if "kind" in body else "facts/18",
              common | {"node": f"n{number}", "source": f"n{number}"} | body)
        for number, body in enumerate(bodies)
    ]  # fmt: skip


def stating(content: str, kind: str = "property") -> dict[str, Any]:
    return {"facts": [{"id": "f", "kind": kind, "content": content, "files": [], "entities": []}]}


@pytest.mark.parametrize(
    ("content", "later"),
    [
        ("The tests of the pier fail on Windows.", {"kind": "run", "ok": True, "command": "pytest -q", "keys": ["pytest"]}),
        ("The tests of the pier fail on Windows.", {"kind": "tests", "name": "pytest", "failures": [], "commit": ""}),
        ("The build of the crane is broken.", {"kind": "ask", "text": "great, it works now"}),
        ("There is no check of the rope length.", {"kind": "tell", "question": "", "reports": ["Added a check of the rope length."]}),
        ("There is no check of the rope length.", {"kind": "commit", "subject": "Check the length of each rope", "files": []}),
        ("There is no check of the rope length.", {"facts": [{"id": "g", "kind": "fix", "content": "Fixed the rope length check."}]}),
        ("로프 길이 검사가 누락되어 있다.", {"kind": "tell", "question": "", "reports": ["로프 길이 검사를 추가했습니다."]}),
    ],
)  # fmt: skip
def test_a_state_ends_with(content: str, later: dict[str, Any]) -> None:
    assert set(find_mended(entries(stating(content), later))) == {"f"}


@pytest.mark.parametrize(
    ("content", "later"),
    [
        ("The tests of the pier fail on Windows.", {"kind": "run", "ok": True, "command": "ls", "keys": ["ls"]}),
        ("The build of the crane is broken.", {"kind": "ask", "text": "why does it fail? is it fixed in the new version?"}),
        ("There is no check of the rope length.", {"kind": "tell", "question": "", "reports": ["Added a page for harbours."]}),
        ("The dev server runs on port 5173.", {"kind": "ask", "text": "great, it works now"}),
        ("The staging server has no certificate.", {"kind": "ask", "text": "great, it works now"}),
        ("Docker does not support hidden paths.", {"kind": "tell", "question": "", "reports": ["Updated the paths of Docker."]}),
    ],
)  # fmt: skip
def test_a_state_does_not_end_with(content: str, later: dict[str, Any]) -> None:
    assert find_mended(entries(stating(content), later)) == {}
