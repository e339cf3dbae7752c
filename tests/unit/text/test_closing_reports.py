"""What a session was about, read from its ends: the request of a person, the report of an agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.passages import approximate_tokens
from graphmem.text.reports import closing_report, plain_line, request_of, shorten_request


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("Please grease the winch.", "Please grease the winch."),
        ("<command-message>rig</command-message> <command-name>/rig</command-name> <command-args>the main mast</command-args>",
         "the main mast"),
        ("<command-name>/exit</command-name> <command-args></command-args>", ""),
        ("[Request interrupted by user]", ""),
        ("Carry out this plan:\n\n# Reefing: **two** lines only\n\n## Context\nLong text.",
         "Carry out this plan: Reefing: two lines only"),
        ("Why does it fail?\n```\nTraceback: a lot\n```\nIt did not before.", "Why does it fail? It did not before."),
        ("[Image #1] the mast leans", "the mast leans"),
        ("<log>rain <log>hail</log> why <b>now</b>?<br> Tell me.", "why ?<br> Tell me."),
    ],
)  # fmt: skip
def test_a_request_is_what_a_person_asks(prompt: str, asked: str) -> None:
    assert request_of(prompt) == asked


def test_a_long_request_ends_with_a_sentence_or_between_words() -> None:
    assert shorten_request("Grease the winch. Then oil the blocks, all of them.", 30) == "Grease the winch."
    assert shorten_request("Grease the winch and oil all of the blocks", 30) == "Grease the winch and oil all…"


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the mast first.",
        "Now I'll run the tests.",
        "All 12 tests pass. Everything is done!",
        "Would you like me to varnish the oars as well?",
        "I think the rope probably broke because of the salt.",
        "```\nadded 12 packages\n```",
        "| Rope | Length |\n| --- | --- |\n| main | was changed |",
        "This was changed to fix the leak of the hull.",
        "네, 알겠습니다.",
    ],
)
def test_talk_is_no_report(text: str) -> None:
    assert closing_report(text, 60) == ""


def test_a_report_is_what_was_done_without_layout_and_courtesies() -> None:
    text = (
        "Done! All tests pass.\n\n## Summary\n\nI added the following checks to `mast.py`:\n\n"
        "- **Rope**: `pull()` now refuses a rope that is too short\n- It also logs them.\n\nLet me know if you want more."
    )
    assert closing_report(text, 60) == (
        "I added checks to `mast.py`. Rope: `pull()` now refuses a rope that is too short. It also logs them."
    )
    assert closing_report(text, 12) == "I added checks to `mast.py`."
    assert closing_report("돛대의 밧줄 길이 검사를 추가했습니다.", 40) == "돛대의 밧줄 길이 검사를 추가했습니다."


@given(st.text(alphabet="ab `.:*-#|\nfixed?é가", max_size=200), st.integers(0, 80))
def test_no_report_is_longer_than_asked_for(text: str, budget: int) -> None:
    report = closing_report(text, budget)
    assert not report or approximate_tokens(report) <= budget


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("#### **Advantages:** 1. **Simplified management**: one project", ""),
        ("Now let me update the todos to reflect completion: ### Next steps", ""),
        ("## 🎯 **Next Steps:**", ""),
        ("- ✅ **The parser** is still missing on Windows.", "The parser is still missing on Windows."),
        ("윈도우용 파서가 아직 없다.", "윈도우용 파서가 아직 없다."),
    ],
)
def test_a_line_of_an_answer_is_told_without_layout_headings_and_plans(said: str, told: str) -> None:
    assert plain_line(said) == told
