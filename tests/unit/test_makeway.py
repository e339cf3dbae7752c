from __future__ import annotations

import threading

import pytest

from graphmem import makeway
from graphmem.makeway import answering, make_way
from tests.support import STOP_S, wait_until


def test_work_waits_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(makeway, "_LONGEST_S", STOP_S)
    done = threading.Event()

    def work() -> None:
        make_way()
        done.set()

    with answering():
        threading.Thread(target=work, daemon=True).start()
        assert not done.wait(0.05)
    wait_until(done.is_set)


def test_what_answers_does_not_wait_for_itself_or_another_answer() -> None:
    done = threading.Event()

    def answer() -> None:
        with answering():
            make_way()
        done.set()

    with answering():
        make_way()
        threading.Thread(target=answer, daemon=True).start()
        wait_until(done.is_set)
        make_way()


def test_work_goes_on_while_an_answer_waits_for_it() -> None:
    done = threading.Event()

    def work() -> None:
        for _ in range(1_000):
            make_way()
        done.set()

    with answering():
        threading.Thread(target=work, daemon=True).start()
        wait_until(done.is_set)
