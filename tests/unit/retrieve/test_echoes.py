"""A question that was asked before does not answer itself: what says something comes first, and nothing is certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.retrieve.echoes import only_retells
from graphmem.retrieve.stems import stem
from graphmem.text.words import content_words, is_echo, is_question


@pytest.mark.parametrize(
    ("asked", "before", "fact"),
    [
        ("Where does the crane park at night?", "where does the crane park at night?", "The crane parks at berth nine at night."),
        ("크레인은 밤에 어디에 세워 두나요?", "크레인은 밤에 어디에 세워 두나요?", "크레인은 밤에 9번 선석에 세워 둡니다."),
    ],
)  # fmt: skip
def test_an_earlier_question_goes_behind_what_answers(tmp_path: Path, asked: str, before: str, fact: str) -> None:
    with Memory.open(tmp_path / "store", project="harbour") as mem:
        mem.observe(before, session="old")
        mem.observe(fact, session="older", role="assistant")
        mem.process()
        found = mem.search(asked)
        contents = [hit.content for hit in found.hits if hit.kind == "turn"]
        assert contents.index(fact) < contents.index(before)  # it is still there, for who looks for it
        assert found.confidence != "high"


@pytest.mark.parametrize(
    ("asked", "before"),
    [
        ("which port does the foochat server listen on", "which port does the foochat server listen on"),
        (
            "which port does the foochat server listen on?",
            "Tell me which port the foochat server listens on",
        ),
        ("where is the port of the foochat server set", "where is the port of the foochat server set?"),
        ("foochat 서버는 어느 포트를 쓰나요", "foochat 서버는 어느 포트를 쓰나요?"),
    ],
)
def test_the_reply_to_a_question_stands_where_the_question_stood(tmp_path: Path, asked: str, before: str) -> None:
    reply = "It listens on 7070, set in server.toml. foochat 서버는 7070 포트를 씁니다."
    with Memory.open(tmp_path / "store", project="foochat") as mem:
        mem.observe(before, session="old")
        mem.observe(reply, session="old", role="assistant")
        mem.observe("The logo of the client is green now.", session="other")
        mem.process()
        turns = [hit for hit in mem.search(asked).hits if hit.kind == "turn"]
        assert turns[0].content == reply
        assert before in [hit.content for hit in turns]
        assert [hit.score for hit in turns] == sorted((hit.score for hit in turns), reverse=True)


@pytest.mark.parametrize("reply", ["ok", "OK, later.", "네, 좋아요."])
def test_what_only_acknowledges_is_no_reply_and_no_first_hit(tmp_path: Path, reply: str) -> None:
    with Memory.open(tmp_path / "store", project="foochat") as mem:
        mem.observe("What is the maximum password length?", session="old")
        mem.observe(reply, session="old", role="assistant")
        mem.observe("A password may have 4096 bytes.", session="older")
        mem.process()
        turns = [hit for hit in mem.search("maximum password length").hits if hit.kind == "turn"]
        assert turns[0].content != reply and all(hit.probability < 0.1 for hit in turns if hit.content == reply)


def test_a_question_alone_stays_and_is_not_certain(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="foochat") as mem:
        mem.observe("which port does the foochat server listen on", session="old")
        mem.process()
        found = mem.search("which port does the foochat server listen on")
        assert [hit.kind for hit in found.hits] == ["turn"] and found.confidence != "high"


@pytest.mark.parametrize(
    ("told", "retells"),
    [
        (
            "Goal: what is the grpc port of the gateway?\nAlso asked:\n- 업로드 버퍼 크기가 몇 개였지?\nResult: 1 commit",
            True,
        ),
        ("Goal: what is the grpc port of the gateway?\nDecided: the grpc port of the gateway is 50061.", False),
        ("Goal: move the gateway to another grpc port\nResult: 1 commit", False),
        ("Goal: when does the nightly job run?\nResult: 1 commit", False),
    ],
)
def test_a_summary_may_only_tell_that_somebody_asked(told: str, retells: bool) -> None:
    assert only_retells(set(map(stem, content_words("what is the grpc port of the gateway"))), told) is retells


@pytest.mark.parametrize(
    ("stated", "corrected", "asked", "whole"),
    [
        ("The grpc port of the gateway is 50051.", "ah wait no, 50061", "what is the grpc port of the gateway?",
         "The grpc port of the gateway is 50061."),
        ("앞으로 캐시 TTL은 60초로 하자.", "아니다, 90초로 하자.", "캐시 TTL이 뭐야?", "앞으로 캐시 TTL은 90초로 하자."),
    ],
)  # fmt: skip
def test_what_half_a_sentence_completes_comes_before_it(
    tmp_path: Path, stated: str, corrected: str, asked: str, whole: str
) -> None:
    with Memory.open(tmp_path / "store", project="foochat") as mem:
        mem.observe(stated, session="one")
        mem.observe(corrected, session="one")
        mem.process()
        first, *rest = mem.search(asked).hits
        assert first.content == whole
        assert all(hit.probability < first.probability for hit in rest)


def test_what_adds_a_word_or_two_is_no_echo() -> None:
    asked = set(content_words("may the cookie domain be inferred from the server name?"))
    assert is_echo(asked, "Is the cookie domain inferred from the server name?")
    assert not is_echo(asked, "We decided that the cookie domain is never inferred from the server name.")
    assert is_question("really？") and not is_question("really.")
