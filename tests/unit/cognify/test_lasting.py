"""What lasts: not what code looks like now, what a commit did or what somebody proposes, but causes, limits of tools, values
and what a person decides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.cognify import facts
from graphmem.cognify.source import Source
from graphmem.model.events import Event

AT = int(datetime(2026, 5, 4, 12, tzinfo=UTC).timestamp() * 1_000_000)


def kept(speaker: str, text: str) -> list[tuple[str, str]]:
    type_ = {"agent": "agent_response", "user": "user_prompt", "commit": "commit_observed"}[speaker]
    payload = (
        {"subject": "fix: mast", "body": text, "hash": "a" * 40, "files": []}
        if speaker == "commit"
        else {"content": text, "role": "assistant" if speaker == "agent" else "user"}
    )
    event = Event(1, "e1", type_, 1, AT, AT, "o", "s", "p", "", payload)
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return [(fact["kind"], fact["content"]) for fact in body["facts"]] if body else []


@pytest.mark.parametrize(
    "text",
    [
        "`RopeStore` has a field `length` but no field `width`.",
        "The `splice` function is called from `mast.py` at line 84.",
        "The `winch` handler is currently registered twice in `deck.py`.",
        "Added `splice()` to `mast.py` and a constant `KNOTS`.",
        "Updated tests for `mast.py` so that they use the new rope.",
        "`test_splice_twice` verifies that `splice()` returns `None`.",
        "Two smaller notes: `mast.py` and `sail.py` share a helper.",
        "Good catch — the toast is the `SAVED_ROPE` path in `deck.py`.",
        "The cleanest fix is to move `splice()` into `ropes.py`.",
        "The team can drop `KNOTS` from `mast.py` because nobody reads it.",
        "`splice()` should return an error instead of `None`.",
        "`mast.py` returns `None` instead of calling `splice()`.",
        "Your use of `KNOTS` in `mast.py` is correct.",
        "`splice()` fails in `mast.py`.",
        "With the new rope, `mast.py` no longer needs the helper!",
        "1. Updated the call in `Deck` - takes the newest rope of `winch`",
        "- Rigging A gets the newest rope from `winch.py`",
        "- `git stash` keeps the old rope of the deck",
        "Updated the paths of the mast from `/1/rope` to `/0/rope`",
        "The problem is in `hoist.py:228-256`.",
        "Docker reads the rope `e53647ba` from the mast.",
        "The wet rope is failing because `mast.py` was recently painted.",
        "Wait, Docker reads `.config/rope.toml` from the mast.",
        "The transcript shows that `mast.py` is in /home/ann/rigs.",
        "The PR adds a check of the rope to `mast.py`.",
        "`Rope` moved from `mast` to the `deck` package",
        "Pushed the rope as `mast.py` because the deck was wet.",
        "Fixed Rope Bug #1: Total Length And Winch Lines Do Not Account For Knots In `mast.py`",
        "Fix: Record the length of `mast.py` and check the rope before deletion.",
        "The warning about `mast.py` must be stale.",
        "`splice()` needs to live in `ropes.py`, so the team can move `knot()` there.",
        "Docker and Git read the rope of `mast.py` correctly.",
        "And that rope in `mast.py` is the one which `splice()` cuts.",
    ],
)
def test_an_agents_view_of_the_code_does_not_last(text: str) -> None:
    assert kept("agent", text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The build failed because `mast.py` imported `sail` twice.", "cause"),
        ("Docker does not pass `HOME` to the build stage.", "property"),
        ("`mast.py` must not import anything from `sail.py`.", "rule"),
        ("We decided to use SQLite for the harbour ledger.", "decision"),
        ("The staging harbour listens on port 7001.", "property"),
        ("Fixed the leak in `hull.py`: the pump starts before the valve opens.", "fix"),
        ("Moved the pump into `bilge.py` to avoid a second valve.", "change"),
        ("The pump crashed on empty hulls; pump/run.py returns early now.", "failure"),
    ],
)
def test_causes_limits_rules_and_values_last(text: str, kind: str) -> None:
    assert [found for found, _ in kept("agent", text)] == [kind]


def test_a_tool_is_known_by_its_name_in_the_same_text() -> None:
    told = "Windlass does not follow links of `deck.py`."
    assert kept("agent", told) == []
    assert kept("agent", f"I looked at how Windlass works with `deck.py`.\n\n{told}\n") == [("property", told)]


@pytest.mark.parametrize(
    "text",
    [
        "Why are the ropes in `mast.py` returned as `None`",
        "`mast.py` directly uses `splice()` and `knot()`.",
        "The `splice()` function handles wet ropes only.",
        "2031-02-03T08:45:11 ERROR winch failed after 59ms: rope missing",
        "The commit SHA is 75f1fb4.",
        "Created branch 'masts/v1' for the ropes",
        "I like Option C",
        "Created rope file: .deck/ropes/mast.md",
        "The knots were cut, so they should never count.",
        "Splicing that rope shouldn't be too hard, please take a look.",
        "If there is a rope already, the new winch in `deck.py` should ask.",
        "`deck rig --all` currently returns an error: `rope needs a length`",
        "No matching ropes found on the fork's `mast.py`.",
        "The name of the rope defaults to hemp even where the rigging of the fleet used another one\nNo length is shown",
        "# Fix: walk the chain of `mast.py` to find a hidden rope",
    ],
)
def test_what_a_person_reports_of_the_code_does_not_last(text: str) -> None:
    assert kept("user", text) == []


def test_what_a_person_wants_and_says_lasts() -> None:
    assert [kind for kind, _ in kept("user", "Never splice ropes in `mast.py`.")] == ["rule"]
    assert [kind for kind, _ in kept("user", "Mina owns the winch service.")] == ["property"]
    assert [kind for kind, _ in kept("user", "스테이징 포트는 7001이다.")] == ["property"]


def test_the_letter_of_a_loop_is_no_person() -> None:
    ((_, content),) = kept("agent", "Fixed the loop in `walk.py`: it calls `rope(i)`, as I found out.")
    assert content == "Fixed the loop in `walk.py`: it calls `rope(i)`, as the agent found out."


@pytest.mark.parametrize(
    "text",
    [
        "ok great, but rewrite the mast files so that they use `hemp.sh` instead of `wire.sh`",
        "Make masts and ropes multiline instead of long",
        "Splendid, now find a better name for mast.yml instead of Deck",
        "Update mast.js so that it doesn't leave old ropes behind, just overwrite",
        "same thing with knots being tied instead of spliced",
    ],
)
def test_an_order_of_work_that_replaces_something_does_not_last(text: str) -> None:
    assert kept("user", text) == []


def test_an_abbreviation_is_no_person() -> None:
    ((_, content),) = kept("user", "We decided that the linter (i.e. ruff) runs before each commit.")
    assert content == "The team decided that the linter (i.e. ruff) runs before each commit."


def test_a_commit_tells_no_chores() -> None:
    body = "- Added tests for the winch of `mast.py`\n- Removed unused imports\n- Replaced the pump in `bilge.py` by a siphon\n"
    assert [content for _, content in kept("commit", body)] == ["Replaced the pump in `bilge.py` by a siphon"]
