"""Follow-ups by the number of a row: they mean the last answer of the same caller, in the same store, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import STOP_S, Repository, with_deep

from graphmem import Memory
from graphmem.errors import NotFound
from graphmem.interfaces.cli import followups
from graphmem.interfaces.cli.caller import caller_key
from graphmem.model.storefiles import FOLLOW_UPS

ENTRY = "from graphmem.interfaces.entry import run; run()"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    repository = Repository(tmp_path / "repository")
    repository.write("cache.py", "def evict():\n    return 1\n\n\ndef full():\n    return evict()\n")
    repository.commit("Evict the oldest entry")
    with Memory.open(around=repository.path) as memory:
        memory.init(repository.path)
    return repository.path


def _graphmem(here: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ENTRY, *words], cwd=here, env=os.environ | environment, capture_output=True, text=True,
        timeout=STOP_S,
    )  # fmt: skip


def _row(said: str, kind: str) -> str:
    """Return the number of the first row of a kind."""
    return next(line.partition(".")[0] for line in said.split("\n") if line[:1].isdigit() and kind in line[:20])


@pytest.mark.parametrize("is_served", with_deep([True], [False]))
def test_a_number_means_a_row_of_the_last_answer(here: Path, is_served: bool) -> None:
    own = {} if is_served else {"GRAPHMEM_BUFFER__RETRIES": "5"}
    asked = _graphmem(here, "ask", "eviction of entries", **own).stdout
    symbol, commit = _row(asked, "symbol"), _row(asked, "commit")
    shown = _graphmem(here, "show", commit, **own).stdout
    assert "Evict the oldest entry" in shown
    source = _graphmem(here, "code", "source", symbol, **own)
    assert "def evict():" in source.stdout, (asked, source)
    not_code = _graphmem(here, "code", "source", commit, **own)
    assert not_code.returncode == 2 and "is a commit and no code" in not_code.stderr
    far = _graphmem(here, "show", "77", **own)
    assert far.returncode != 0 and "so 77 means nothing" in far.stderr
    details = json.loads(_graphmem(here, "details", commit, "--json", **own).stdout)
    assert details["data"][0]["kind"] == "commit"


def test_a_number_of_another_caller_means_nothing(here: Path) -> None:
    own = {"CODEX_THREAD_ID": "one"}
    assert _graphmem(here, "ask", "eviction of entries", **own).returncode == 0
    assert _graphmem(here, "show", "1", **own).returncode == 0
    other = _graphmem(here, "show", "1", CODEX_THREAD_ID="two")
    assert other.returncode != 0 and "no answer with numbers was given here" in other.stderr
    detached = subprocess.run(
        ["setsid", "sh", "-c", f"(sleep 0.2; exec {sys.executable} -c '{ENTRY}' show 1) 2>&1 >/dev/null & wait"],
        cwd=here, capture_output=True, text=True, timeout=STOP_S, check=False,
    )  # fmt: skip
    assert "no answer with numbers" in detached.stdout  # this process asked nothing


def test_a_ref_that_is_a_number_is_meant_first(here: Path) -> None:
    with Memory.open(around=here) as memory:
        memory.remember("Keep seven entries", kind="fact", ref="1")
        memory.process()
        found = memory.search("eviction")
        followups.keep_rows(memory, "me", found, time.time())
        assert followups.fill_numbers(memory, "me", "show", {"id": "1"}) == {"id": "1"}
        assert followups.fill_numbers(memory, "me", "show", {"id": "2"})["id"] != "2"
        assert followups.fill_numbers(memory, "me", "forget", {"id": "2"}) == {"id": "2"}  # only reading verbs


def test_two_answers_at_the_same_time_leave_no_numbers(here: Path) -> None:
    with Memory.open(around=here) as memory:
        began = time.time()
        found = memory.search("eviction")
        followups.keep_rows(memory, "me", found, began)
        followups.keep_rows(memory, "me", found, began)
        with pytest.raises(NotFound, match="two answers were given at the same time"):
            followups.fill_numbers(memory, "me", "show", {"id": "1"})
        followups.keep_rows(memory, "me", found, time.time() + 1)
        assert followups.fill_numbers(memory, "me", "show", {"id": "1"})["id"] != "1"


def test_numbers_of_yesterday_and_damaged_files_mean_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(around=here) as memory:
        followups.keep_rows(memory, "me", memory.search("eviction"), time.time())
        with monkeypatch.context() as patch:
            patch.setattr(followups, "_KEPT_S", -1.0)
            with pytest.raises(NotFound, match="no answer with numbers"):
                followups.fill_numbers(memory, "me", "show", {"id": "1"})
        followups._file(memory, "me").write_text("{")
        with pytest.raises(NotFound, match="no answer with numbers"):
            followups.fill_numbers(memory, "me", "show", {"id": "1"})


def test_the_numbers_of_the_newest_callers_are_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followups, "_MOST", 3)
    with Memory.open(around=here) as memory:
        found = memory.search("eviction")
        for number in range(5):
            followups.keep_rows(memory, f"caller {number}", found, time.time())
            os.utime(followups._file(memory, f"caller {number}"), (time.time() - 90 + number,) * 2)
        kept = list((memory.location / FOLLOW_UPS).glob("*.json"))
        assert 3 <= len(kept) <= 4
        assert not list((memory.location / FOLLOW_UPS).glob("*.tmp"))
        for file in kept:
            os.utime(file, (1, 1))
        followups.keep_rows(memory, "me", found, time.time())
        assert [file.name for file in (memory.location / FOLLOW_UPS).glob("*.json")] == [
            followups._file(memory, "me").name
        ]
        memory.forget(memory.remember("The tide turns at noon."), purge=True)
        assert not (memory.location / FOLLOW_UPS).exists()
    assert caller_key({"CODEX_THREAD_ID": "t"}) == "thread t"


def test_a_long_patch_is_marked_and_printed_whole_on_request(here: Path) -> None:
    repository = Repository(here)
    hash_ = repository.commit("Write much", {"much.txt": "".join(f"line {n} of many\n" for n in range(3_000))})
    small = repository.commit("Write little", {"little.txt": "one\ntwo\n"})
    with Memory.open(around=here) as memory:
        memory.ingest("git", here)
        memory.process()
    shown = _graphmem(here, "show", hash_)
    assert "\n+line 7 of many\n" in shown.stdout and "[patch cut: 20,000 of" in shown.stdout  # a line each
    assert "changed lines: --patch prints all of it" in shown.stderr and "of 3,000" in shown.stderr
    whole = _graphmem(here, "show", hash_, "--patch").stdout
    assert "+line 2999 of many" in whole and "Write much" in whole and "[patch cut" not in whole
    assert not _graphmem(here, "show", small).stderr
    refused = _graphmem(here, "show", "cache.py", "--patch")
    assert refused.returncode == 2 and "is no commit" in refused.stderr
