"""The spool keeps what hooks were told, readable for nobody without its key, and gives each entry back once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.log import spool

SECRET = b'{"prompt": "the password is hunter2hunter2"}'


@settings(max_examples=examples(50), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    body=st.binary(max_size=3_000), event=st.text(st.characters(codec="ascii", exclude_characters="\n"), max_size=20)
)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, body: bytes, event: str) -> None:
    store = str(tmp_path_factory.mktemp("store"))
    delivery = spool.write(store, event, body)
    (entry,) = spool.waiting_entries(store)
    assert (entry.delivery, entry.event, entry.body) == (delivery, event, body)
    spool.delete_entry(store, delivery)
    assert list(spool.waiting_entries(store)) == [] and spool.count_waiting(store).number == 0


def test_nothing_of_it_can_be_read_on_the_disk_and_only_its_user_may_look(tmp_path: Path) -> None:
    spool.write(str(tmp_path), "UserPromptSubmit", SECRET)
    for path in (tmp_path / spool.FOLDER).iterdir():
        assert b"hunter2" not in path.read_bytes() and path.stat().st_mode & 0o077 == 0
    assert (tmp_path / spool.FOLDER).stat().st_mode & 0o077 == 0
    assert not list(tmp_path.rglob("key")), "the key lies in the runtime folder, which is in memory"


def test_a_changed_or_foreign_entry_is_put_aside_and_holds_up_no_other(tmp_path: Path) -> None:
    store = str(tmp_path)
    first, second = spool.write(store, "Stop", b"1"), spool.write(store, "Stop", b"2")
    path = tmp_path / spool.FOLDER / f"{first}.hook"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    (tmp_path / spool.FOLDER / "odd.hook").write_bytes(b"")
    assert [entry.delivery for entry in spool.waiting_entries(store)] == [second]
    assert spool.count_waiting(store).lost == 2 and spool.count_waiting(store).number == 1


def test_when_the_key_went_with_a_restart_it_is_told_and_new_entries_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tmp_path / "store")
    spool.write(store, "Stop", b"1")
    shutil.rmtree(Path(os.environ["XDG_RUNTIME_DIR"]) / "graphmem")
    after = spool.write(store, "Stop", b"2")
    assert [entry.delivery for entry in spool.waiting_entries(store)] == [after]
    assert spool.count_waiting(store).lost == 1


def test_a_process_of_another_environment_finds_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.write(str(tmp_path), "Stop", b"1")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert [entry.body for entry in spool.waiting_entries(str(tmp_path))] == [b"1"]


def test_without_a_runtime_folder_the_key_lies_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "nowhere"))
    spool.write(str(tmp_path / "store"), "Stop", SECRET)
    key = tmp_path / "store" / spool.FOLDER / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert [entry.body for entry in spool.waiting_entries(str(tmp_path / "store"))] == [SECRET]


def test_what_just_came_is_left_to_the_hook_that_told_it(tmp_path: Path) -> None:
    spool.write(str(tmp_path), "Stop", b"1")
    assert list(spool.waiting_entries(str(tmp_path), older_s=10)) == []
    assert len(list(spool.waiting_entries(str(tmp_path)))) == 1
