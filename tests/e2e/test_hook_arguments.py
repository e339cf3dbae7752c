"""A hook never fails its host, however it is called: for Claude Code, exit status 2 blocks what the agent does."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S, with_deep

_HOOK = [sys.executable, "-m", "graphmem.interfaces.entry", "hook"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the event name is missing"),
        ([""], "the event name is missing"),
        (["--x"], "no option '--x'"),
        (["-"], "no option '-'"),
        (["--help", "--x"], "no option '--help'"),
        (["--x", "SessionStart"], "no option '--x'"),
        (["Unheard"], "no hook event 'Unheard'"),
        ([b"\xff\xfe"], "no hook event"),
        (["훅\n두"], "no hook event"),
        (["x" * 100_000], "no hook event"),
    ],
)
def test_wrong_arguments_are_one_sentence_and_no_failure(
    arguments: list[str | bytes], said: str, tmp_path: Path
) -> None:
    done = subprocess.run([*_HOOK, *arguments], input=b"{}", cwd=tmp_path, capture_output=True, timeout=STOP_S)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
    assert said in done.stderr.decode() and done.stderr.count(b"\n") == 1 and len(done.stderr) < 300


@pytest.mark.parametrize("closed", with_deep(["<&- >&- 2>&-", ">/dev/full"], ["<&-", ">&-", "2>&-", "</dev/null"]))
@pytest.mark.parametrize("argument", ["SessionEnd", "--x"])
def test_closed_streams_fail_no_hook_and_damage_no_store(closed: str, argument: str, tmp_path: Path) -> None:
    command = f"exec {shlex.join([*_HOOK, argument])} {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], input=b"{}", cwd=tmp_path, capture_output=True, timeout=STOP_S)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr and done.stdout.strip() in (b"", b"{}")
    for log in Path(os.environ["GRAPHMEM_HOME"]).rglob("log.db"):
        assert log.read_bytes()[:15] == b"SQLite format 3"


def test_help_is_shown(tmp_path: Path) -> None:
    done = subprocess.run([*_HOOK, "--help"], cwd=tmp_path, capture_output=True, timeout=STOP_S)
    assert done.returncode == 0 and b"always exit status 0" in done.stdout
