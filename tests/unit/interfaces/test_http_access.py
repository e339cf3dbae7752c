"""Tokens, keys and sessions of the server, with a clock that the test moves."""

from __future__ import annotations

import asyncio
import multiprocessing
import stat
from pathlib import Path
from typing import Any

import pytest

from graphmem.errors import NotFound, StoreError, UsageError
from graphmem.interfaces.http import bodies
from graphmem.interfaces.http.access import IDLE_S, LONGEST_S, Access
from graphmem.interfaces.http.tokens import Tokens

HOST = "127.0.0.1:1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(tmp_path: Path, clock: Clock) -> Access:
    return Access(Tokens(tmp_path), clock)


def test_a_session_ends_when_it_is_not_used(access: Access, clock: Clock) -> None:
    session = access.log_in(access.create_login_key(), HOST)
    assert session
    clock.now += IDLE_S - 1
    assert access.knows_session(session, HOST)
    clock.now += IDLE_S + 1
    assert not access.knows_session(session, HOST)
    clock.now -= IDLE_S
    assert not access.knows_session(session, HOST)


def test_a_session_ends_however_much_it_is_used(access: Access, clock: Clock) -> None:
    session = access.log_in(access.create_login_key(), HOST)
    assert session
    while clock.now < LONGEST_S - IDLE_S:
        clock.now += IDLE_S / 2
        assert access.knows_session(session, HOST)
    clock.now = LONGEST_S + 1
    assert not access.knows_session(session, HOST)


def test_a_session_is_of_one_name_and_one_server(access: Access, tmp_path: Path, clock: Clock) -> None:
    session = access.log_in(access.create_login_key(), HOST)
    assert session and not access.knows_session(session, "localhost:1") and access.knows_session(session, HOST)
    assert not Access(Tokens(tmp_path), clock).knows_session(session, HOST)


def test_a_key_works_once_and_not_for_ever(access: Access, clock: Clock) -> None:
    key, late = access.create_login_key(), access.create_login_key()
    assert access.log_in(key, HOST) and access.log_in(key, HOST) is None
    clock.now += 13 * 3600
    assert access.log_in(late, HOST) is None
    assert access.log_in("", HOST) is None


def test_more_sessions_than_are_kept_push_out_the_oldest(access: Access, clock: Clock) -> None:
    first = access.log_in(access.create_login_key(), HOST)
    clock.now += 1
    for _ in range(1_000):
        last = access.log_in(access.create_login_key(), HOST)
    assert first and last and not access.knows_session(first, HOST) and access.knows_session(last, HOST)


def test_a_token_is_kept_as_a_digest_for_its_owner_alone(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "new")
    value = tokens.create()
    file = tmp_path / "new" / "http.tokens.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and value not in file.read_text()
    assert tokens.name_of(value) == "default" and tokens.name_of(value + "x") is None and tokens.name_of("") is None
    with pytest.raises(UsageError, match="the token default exists already: choose another name"):
        tokens.create()
    with pytest.raises(UsageError, match="letters"):
        tokens.create("../x")
    with pytest.raises(NotFound, match="default"):
        tokens.revoke("other")


def test_a_change_by_another_process_counts_at_once(tmp_path: Path) -> None:
    mine, other = Tokens(tmp_path), Tokens(tmp_path)
    value = other.create()
    assert mine.name_of(value)
    new = other.rotate()
    assert mine.name_of(value) is None and mine.name_of(new)
    other.revoke("default")
    assert mine.name_of(new) is None


def test_the_readable_token_of_older_versions_goes_on_until_it_is_rotated(tmp_path: Path) -> None:
    (tmp_path / "http.token").write_text("an-old-token\n")
    tokens = Tokens(tmp_path)
    assert tokens.name_of("an-old-token") == "default" and not (tmp_path / "http.token").exists()
    assert "an-old-token" not in (tmp_path / "http.tokens.json").read_text()
    tokens.rotate()
    assert tokens.name_of("an-old-token") is None


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "http.tokens.json").write_text("{")
    with pytest.raises(StoreError, match=r"http.tokens.json cannot be read"):
        Tokens(tmp_path).read()


def _create(home: Path, name: str) -> None:
    Tokens(home).create(name)


def test_processes_that_make_tokens_at_once_lose_none(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    makers = [context.Process(target=_create, args=[tmp_path, f"t{number}"]) for number in range(4)]
    for one in makers:
        one.start()
    for one in makers:
        one.join(60)
    assert [one.name for one in Tokens(tmp_path).read()] == ["t0", "t1", "t2", "t3"]


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has arrived of a body is held in memory: a client that sends no more must not keep it there."""
    parts = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def receive() -> Any:
        if not parts:
            await asyncio.Event().wait()
        return parts.pop()

    monkeypatch.setattr(bodies, "_LONGEST_S", 0.01)
    with pytest.raises(bodies.TooLate):
        asyncio.run(bodies.read_body(receive))
