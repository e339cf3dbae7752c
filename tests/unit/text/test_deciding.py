"""What a conversation came to: whole statements, in order, without questions and rejected proposals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.deciding import SpokenTurn, choose_statements, extract_statements, mentions_amendment
from graphmem.text.placenames import defined_symbols, file_keys, named_files, named_symbols, place_keys, symbol_keys
from graphmem.text.recall import written_by_host

TALK = [
    SpokenTurn("user", "The ferry app shows the wrong departure on holidays."),
    SpokenTurn("assistant", "I'll always use the Sunday timetable on holidays."),
    SpokenTurn(
        "user",
        "No, only in winter. From May to September holidays run the Saturday timetable, because of the day trippers.",
    ),
    SpokenTurn("assistant", "Should the app say so?"),
    SpokenTurn(
        "assistant",
        "Final: Sunday timetable on holidays from October to April, Saturday timetable from May to September.",
    ),
]


def test_a_rejected_proposal_and_a_question_are_left_out() -> None:
    chosen = choose_statements(TALK, 400)
    assert [at for at, _ in chosen] == [2, 4]
    assert chosen[-1][1].startswith("Final: Sunday timetable")


def test_the_closing_statement_comes_first_where_room_is_short() -> None:
    assert [at for at, _ in choose_statements(TALK, 32)] == [4]
    assert (
        choose_statements([SpokenTurn("user", "good morning"), SpokenTurn("assistant", "Hello! How can I help?")], 400)
        == []
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [("Amendment to the refund rule of last month.", True), ("This supersedes the old limit.", True), ("앞으로는 두 번만 시도합니다.", True),
     ("The refund is paid within three days.", False), ("환불은 3일 안에 합니다.", False)],
)  # fmt: skip
def test_what_amends_says_so(text: str, said: bool) -> None:
    assert mentions_amendment(text) == said


def test_places_of_a_text() -> None:
    text = "See `src/dock/crane.py` and lift_box in HarbourCrane; call unload(). The Dockerfile stays, node.js too. pay.py의 값."
    assert named_files(text) == ["src/dock/crane.py", "Dockerfile", "pay.py"]
    assert named_symbols(text) == ["lift_box", "HarbourCrane", "unload"]
    assert file_keys("src/dock/crane.py") == ["src/dock/crane.py", "dock/crane.py", "crane.py"]
    assert symbol_keys("harbour.Crane.lift") == ["harbour.crane.lift", "crane.lift", "lift"]
    assert defined_symbols("LIMIT = 3\nasync def lift(x):\n    pass\nclass Crane:\nexport function unload() {") == [
        "lift",
        "Crane",
        "unload",
        "LIMIT",
    ]
    assert place_keys("thanks, see you tomorrow") == []


def test_the_program_around_the_agent_is_no_person() -> None:
    assert written_by_host("<task-notification> <task-id>7</task-id>") and not written_by_host("<div> is not centred")


@given(st.text(max_size=400), st.integers(1, 60))
def test_any_text_is_cut_to_its_budget(text: str, budget: int) -> None:
    from graphmem.text.passages import approximate_tokens

    assert approximate_tokens(extract_statements(text, budget)) <= 2 * budget + 8
    for key in place_keys(text):
        assert key == key.lower() and key
