"""What was said in one language is found by a question in the other one, before questions and turns that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import Memory

SAID = (
    ("a", "user", "Shall we send the weekly report to the customers?"),
    ("a", "assistant", "I can, once I have their addresses."),
    ("a", "user", "고객에게 주간 보고서는 보내지 않기로 했어, 아무도 안 읽으니까."),
    ("a", "assistant", "OK, later."),
    ("b", "user", "what did we decide about the weekly report to customers?"),
    ("b", "assistant", "I found nothing about that."),
    ("b", "user", "ok"),
    ("c", "user", "The backups of the database stay in the second region, because the first one was flooded."),
    ("c", "assistant", "Understood."),
    ("d", "user", "비밀번호는 최소 12자로 하기로 결정했다."),
    ("d", "user", "We decided to render the menu on the server."),
    ("e", "user", "좋아."),
    ("e", "user", "The lamp in the hall is green."),
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(Path(tmp_path_factory.mktemp("said")) / "store", project="p") as memory:
        for session, role, text in SAID:
            memory.observe(text, session=session, role=role)
        memory.process()
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did we decide about the weekly report to customers?", "보내지 않기로"),
        ("주간 보고서는 고객에게 보내기로 했나요?", "보내지 않기로"),
        ("데이터베이스 백업은 어느 리전에 두기로 했지?", "second region"),
        ("메뉴는 서버에서 렌더링하기로 했나요?", "render the menu"),
        ("how long must a password be?", "12자"),
        ("where do the backups of the database stay?", "second region"),
    ],
)
def test_a_question_finds_what_was_said_in_the_other_language(said: Memory, question: str, answer: str) -> None:
    turns = [hit.content for hit in said.search(question).hits if hit.kind == "turn"]
    assert answer in turns[0]


def test_what_says_nothing_is_behind_all_else(said: Memory) -> None:
    found = said.search("what did we decide about the weekly report to customers?", k=20).hits
    empty = [hit for hit in found if hit.content in ("ok", "좋아.", "OK, later.", "I found nothing about that.")]
    assert all(hit.probability < 0.1 for hit in empty)


def test_the_summary_of_a_turn_leaves_out_what_only_acknowledges(said: Memory) -> None:
    said.observe("좋아. 펌프는 매일 밤 두 시에 끈다.", session="f")
    said.process()
    assert said.search("펌프는 언제 끄나요?").hits[0].summary.startswith("펌프는")
