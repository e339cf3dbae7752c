"""No hook loses what it was told: at a cold start, with a busy log, killed at any moment, with large and odd inputs. Real
processes throughout."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support import STOP_S, end_owner, with_deep

from graphmem import Memory
from graphmem.interfaces.hooks.place import find
from graphmem.interfaces.install.overview import report
from graphmem.log import spool
from graphmem.log.unanswered import note_unanswered, recent_unanswered

HOOK = [sys.executable, "-m", "graphmem.interfaces.entry", "hook"]
LATE = """
import time
from graphmem.interfaces.hooks import entry
save = entry._spooled
entry._spooled = lambda *given: time.sleep(1) or save(*given)
entry.run_hook(["UserPromptSubmit"])
"""


def start(event: str, cwd: Path, **given: Any) -> subprocess.Popen[bytes]:
    told = {"hook_event_name": event, "session_id": "s", "cwd": str(cwd)} | given
    process = subprocess.Popen(
        [*HOOK, event], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(told).encode())
    process.stdin.close()
    return process


def run(event: str, cwd: Path, **given: Any) -> dict[str, Any]:
    process = start(event, cwd, **given)
    assert process.stdout is not None
    answer = process.stdout.read()
    assert process.wait(STOP_S) == 0
    return json.loads(answer)


def prompts(cwd: Path) -> Counter[str]:
    """What people said, as the log has it, once all that waits was taken in."""
    store = find(str(cwd)).store
    with Memory.open(store, daemon=True) as mem:
        mem.process()
        spooled = mem.health()["spool"]
        assert (spooled["waiting"], spooled["since"], spooled["lost"]) == (0, 0, 0)
        return Counter(event.payload["content"] for event in mem._store.log.read(types=["user_prompt"]))


@pytest.mark.parametrize("hooks", with_deep([6], [50]))
def test_many_hooks_at_once_on_a_store_that_was_never_opened(tmp_path: Path, hooks: int) -> None:
    started = [start("UserPromptSubmit", tmp_path, prompt=f"prompt {number}") for number in range(hooks)]
    for process in started:
        assert process.wait(STOP_S) == 0
    assert prompts(tmp_path) == Counter({f"prompt {number}": 1 for number in range(hooks)})
    with Memory.open(find(str(tmp_path)).store, daemon=True) as mem:  # each knows its call, whoever recorded it
        deliveries = {event.payload["delivery"] for event in mem._store.log.read(types=["user_prompt"])}
    assert len(deliveries) == hooks and all(deliveries)


def test_a_hook_that_finds_the_log_busy_ends_in_time_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("UserPromptSubmit", tmp_path, prompt="before")
    monkeypatch.setenv("GRAPHMEM_HOOK_LIMIT_S", "5")
    store = Path(find(str(tmp_path)).store)
    end_owner(store, signal.SIGKILL)
    with closing(sqlite3.connect(store / "log.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        run("UserPromptSubmit", tmp_path, prompt="meanwhile")  # the log is busy until it has ended
        assert spool.count_waiting(str(store)).number == 1
        db.execute("ROLLBACK")
    assert recent_unanswered(str(store)) == (1, "UserPromptSubmit")
    assert prompts(tmp_path) == Counter({"before": 1, "meanwhile": 1})


def test_a_hook_that_is_late_saves_what_it_was_told_before_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine so busy that the time is over before anything was saved."""
    monkeypatch.setenv("GRAPHMEM_HOOK_LIMIT_S", "0.1")
    told = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "late"})
    assert subprocess.run([sys.executable, "-c", LATE], input=told.encode(), cwd=tmp_path).returncode == 0
    assert spool.count_waiting(find(str(tmp_path)).store).number == 1


def test_a_hook_whose_owner_answers_nothing_in_time_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    with Memory.open(store, project="demo") as mem:
        mem.remember("Deploys happen on Tuesday.")
    monkeypatch.setenv("GRAPHMEM_STORE", str(store))
    monkeypatch.setenv("GRAPHMEM_HOOK_LIMIT_S", "2")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as owner:
        owner.bind(str(tmp_path / "s"))
        owner.listen()
        (store / "owner.json").write_text(json.dumps({"socket": str(tmp_path / "s"), "token": "x"}))
        run("SubagentStart", tmp_path)  # accepted by the kernel, answered by nobody
        run("Stop", tmp_path)  # expects no context
    assert recent_unanswered(str(store)) == (1, "SubagentStart")
    assert report(as_json=False) == 0 and "1 got no memory in time" in capsys.readouterr().out
    with Memory.open(store, project="demo") as mem:
        told = mem.health()
    assert told["sound"] and told["spool"]["unanswered"] == 1 and "GRAPHMEM_HOOK_LIMIT_S" in "".join(told["advice"])


def test_the_notes_of_unanswered_hooks_stay_small(tmp_path: Path) -> None:
    for _ in range(1_500):
        note_unanswered(str(tmp_path), "SessionStart")
    (note,) = tmp_path.iterdir()
    assert note.stat().st_size <= 16_400 and 300 < recent_unanswered(str(tmp_path)).number < 1_500
    note.write_bytes(b"\xff\xfe\n1 Stop\n99999999999999 Stop\n\n9999999999 SessionStart\n")
    assert recent_unanswered(str(tmp_path)) == (1, "SessionStart")


def test_a_hook_with_more_time_waits_longer_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    monkeypatch.setenv("GRAPHMEM_STORE", str(store))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as owner:
        owner.bind(str(tmp_path / "s"))
        owner.listen()
        (store / "owner.json").write_text(json.dumps({"socket": str(tmp_path / "s"), "token": "x"}))
        process = start("UserPromptSubmit", tmp_path, prompt="hello")
        connection, _ = owner.accept()
        with connection, connection.makefile("rb") as asked:
            assert b"Hello" in asked.readline() and b"Hook" in asked.readline()
            time.sleep(1.5)  # longer than a hook waits where it ends after 2.5 seconds
            connection.sendall(b'[1, "Welcome"]\n[1, "Result", "{\\"told\\": \\"late\\"}"]\n')
            assert process.stdout is not None and json.loads(process.stdout.read()) == {"told": "late"}
        assert process.wait(STOP_S) == 0


def kill_at_random(cwd: Path, times: int, seed: int) -> None:
    """Kill hooks at random moments: what was acknowledged is there once, and nothing twice."""
    chance, acknowledged = random.Random(seed), []
    run("UserPromptSubmit", cwd, prompt="first")
    for number in range(times):
        process = start("UserPromptSubmit", cwd, prompt=f"prompt {number}")
        if chance.random() < 0.8:
            time.sleep(chance.random() * 0.25)
            process.kill()
        if process.wait(STOP_S) == 0:
            acknowledged.append(f"prompt {number}")
        if chance.random() < 0.05:  # the owner, too
            end_owner(Path(find(str(cwd)).store), signal.SIGKILL)
    found = prompts(cwd)
    assert set(acknowledged) <= found.keys() and set(found.values()) == {1}


def test_no_killed_hook_loses_or_doubles_a_prompt(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 25, 7)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
def test_no_killed_hook_loses_or_doubles_a_prompt_200_times(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 200, 11)


def test_what_was_recorded_and_not_taken_away_is_not_recorded_again(tmp_path: Path) -> None:
    """An owner that is killed between the two leaves an entry that the log has already."""
    store = tmp_path / "store"
    told = {"session_id": "s", "cwd": str(tmp_path)}
    bodies = {
        "UserPromptSubmit": told | {"prompt": "again"},
        "SessionEnd": told | {"reason": "exit"},
        "PostToolUse": told | {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "a"},
        "Stop": told | {"last_assistant_message": "done"},
    }
    from graphmem.hooks.capture import record_event

    with Memory.open(store, project="demo") as mem:
        for event, body in bodies.items():
            delivery = spool.write(str(store), event, json.dumps(body).encode())
            kept = (store / spool.FOLDER / f"{delivery}.hook").read_bytes()
            record_event(mem._store, event, body | {spool.DELIVERY: delivery})
            (store / spool.FOLDER / f"{delivery}.hook").write_bytes(kept)  # as if nobody had taken it away
        record_event(mem._store, "UserPromptSubmit", bodies["UserPromptSubmit"])  # said once more: a turn of its own
        before = mem._store.log.head()
        mem.process()
        told_now = [event.type for event in mem._store.log.read() if event.actor != "system" or "session" in event.type]
        assert mem._store.log.head() == before and Counter(told_now)["user_prompt"] == 2
        assert spool.count_waiting(str(store)).number == 0


def test_an_entry_keeps_the_time_at_which_it_was_told(tmp_path: Path) -> None:
    delivery = spool.write(str(tmp_path), "UserPromptSubmit", b'{"session_id": "s", "prompt": "early"}')
    time.sleep(0.3)
    with Memory.open(tmp_path, project="demo") as mem:
        mem.process()
        (event,) = mem._store.log.read(types=["user_prompt"])
        assert event.at == int(delivery[:19]) // 1_000 and event.clock > event.at + 200_000


def test_what_waits_for_long_is_told_with_its_time(tmp_path: Path) -> None:
    with Memory.open(tmp_path, project="demo") as mem:
        delivery = spool.write(str(tmp_path), "Stop", b"{}")
        old = f"{int(delivery[:19]) - 120 * 10**9:019d}{delivery[19:]}"
        folder = tmp_path / spool.FOLDER
        (folder / f"{delivery}.hook").rename(folder / f"{old}.hook")
        health = mem.health()
        assert health["spool"]["waiting"] == 1 and not health["sound"]
        assert any("1 call waiting to be recorded since" in problem for problem in health["problems"])
        mem.process()
        assert mem.health()["sound"]


@pytest.mark.parametrize("size", [108_000, 1_500_000])
def test_large_inputs_are_recorded(tmp_path: Path, size: int) -> None:
    words = ("We keep the parser and the cache. " * (size // 34 + 1))[:size]
    if size < 1_000_000:
        run("UserPromptSubmit", tmp_path, prompt=words)
        assert [len(prompt) for prompt in prompts(tmp_path)] == [len(words.strip())]
    else:
        run(
            "PostToolUse",
            tmp_path,
            tool_name="Bash",
            tool_use_id="t1",
            tool_input={"command": "x"},
            tool_response=words,
        )
        with Memory.open(find(str(tmp_path)).store, daemon=True) as mem:
            mem.process()
            (event,) = mem._store.log.read(types=["tool_observation"])
            content = event.payload["content"]
            assert 900_000 < len(content) <= 1_000_000 and "characters left out" in content


@pytest.mark.parametrize(
    "odd",
    with_deep([b'"cwd": "/nowhere\\u0000"'], [b'"modulus": ' + b"9" * 5_000, b'"cwd": "/nowhere\\ud800"']),
    ids=["nul", "number", "surrogate"],
)
def test_odd_values_next_to_a_prompt_do_not_lose_it(tmp_path: Path, odd: bytes) -> None:
    data = b'{"session_id": "s", "prompt": "We keep the parser.", ' + odd + b"}"
    done = subprocess.run([*HOOK, "UserPromptSubmit"], input=data, cwd=tmp_path, capture_output=True, timeout=STOP_S)
    assert done.returncode == 0 and done.stderr == b""
    assert prompts(tmp_path) == {"We keep the parser.": 1}


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b'{"a":' * 50_000])
def test_what_is_no_input_leaves_nothing_behind(tmp_path: Path, data: bytes) -> None:
    done = subprocess.run([*HOOK, "UserPromptSubmit"], input=data, cwd=tmp_path, capture_output=True, timeout=STOP_S)
    assert done.returncode == 0 and json.loads(done.stdout) == {}
    assert not list(Path(os.environ["GRAPHMEM_HOME"]).rglob("*.hook"))
    if data.strip():
        assert done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr


def test_a_prompt_of_a_megabyte_is_kept_whole_and_only_its_ends_are_looked_at(tmp_path: Path) -> None:
    store = find(str(tmp_path)).store
    with Memory.open(store, project="demo") as mem:  # an owner that takes nothing in by itself
        mem.process()
        long = f"begin {'lorem ipsum dolor ' * 55_000} end of all"
        assert run("UserPromptSubmit", tmp_path, prompt=long) == {}
        assert spool.count_waiting(str(store)).number == 1  # recorded later, not while the agent waits
        assert not list(mem._store.log.read(types=["user_prompt"]))
    assert prompts(tmp_path) == Counter({long: 1})


def test_a_hook_that_cannot_keep_anything_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from errno import ENOSPC

    from graphmem.interfaces.hooks import entry

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRAPHMEM_STORE", str(tmp_path / "file" / "store"))  # nothing can be made below a file
    process = start("UserPromptSubmit", tmp_path, prompt="lost")
    assert process.wait(STOP_S) == 0
    assert process.stdout is not None and process.stderr is not None
    said = process.stderr.read().decode()
    assert json.loads(process.stdout.read()) == {} and said.count("\n") == 1, said
    assert "Error" not in said and "Errno" not in said and "cannot be saved" in said
    full = entry._sentence(OSError(ENOSPC, "No space left on device"))
    assert full.startswith("the disk is full") and "Errno" not in full
    for error in (RecursionError("maximum"), json.JSONDecodeError("x", "y", 0), ValueError("it is larger")):
        assert "Error" not in entry._sentence(error)
