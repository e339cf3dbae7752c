"""Terminal snapshots: what counts as an error, signatures that survive a rerun, capture, ingest, pruning and `run`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.extract.terminal import assess_output, clean_output, error_of, failure_signature, severity_of, split_log
from graphmem.ingest.capture import prune_snapshots

TRACE = "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 12, in <module>\n    go()\nKeyError: 'port'\n"


@pytest.mark.parametrize(
    ("output", "severity"),
    [
        ("Compiled with 0 errors", ""),
        ("errors: 0, warnings: 0", ""),
        ("no errors found", ""),
        ("finished without any errors", ""),
        ("wrote error_handler.py and errors.log", ""),
        ("12 passed, 0 failed", ""),
        ("feat: handle timeout errors", ""),
        ("error: cannot find crate", "high"),
        ("3 failed, 2 passed", "high"),
        ("java.lang.NullPointerException at X", "high"),
        ("the request timed out", "medium"),
        ("warning: unused variable", "low"),
        ("DeprecationWarning: old\nall fine", ""),
        ("0 errors, 2 warnings", "low"),
    ],
)
def test_only_what_went_wrong_is_severe(output: str, severity: str) -> None:
    assert severity_of(output) == severity or (severity == "" and "Deprecation" in output)


def test_triggers_are_failure_anomaly_and_manual() -> None:
    assert assess_output("ok", 3).trigger == "failure"
    assert assess_output("error: disk full", 0).trigger == "anomaly"
    assert assess_output("warning: old", 0).trigger == "manual"
    assert assess_output("0 errors", 0).trigger == "manual"


def test_the_line_that_names_the_error_is_found() -> None:
    assert error_of(TRACE) == "KeyError: 'port'"
    assert error_of("building\nerror: no such file main.c\ndone") == "error: no such file main.c"
    assert error_of("Hook failed:\n[FORMAT] Code is not formatted") == "Hook failed: [FORMAT] Code is not formatted"
    assert error_of("") == ""


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("Error: fix the ends of files....................Passed\nsort the imports.........................Failed\n"
         "- hook id: sort\n- exit code: 1\n- files were modified by this hook", "sort the imports: Failed"),
        ("Error: ============ test session starts ============\ncollected 3 items\nE   assert 2 == 3", "assert 2 == 3"),
        ("Error: [notice] A new release of the installer is available\nno such option: --fast", "no such option: --fast"),
        ("Error: ERROR: usage: mast [options]", "ERROR: usage: mast [options]"),
        ("Error: Error", ""),
        ("Error: the mast is missing", "Error: the mast is missing"),
        ("=== FAIL: rig TestSail (0.01s)", "=== FAIL: rig TestSail (0.01s)"),
    ],
)  # fmt: skip
def test_what_only_accompanies_an_error_is_left_out(output: str, error: str) -> None:
    assert error_of(output) == error


def test_a_signature_survives_what_changes_between_runs() -> None:
    first = failure_signature("ValueError: /tmp/a1/run/x.py took 12.5s at 0xdeadbeef")
    assert first == failure_signature("ValueError: /home/u/other/x.py took 9s at 0xfeedface")
    assert first != failure_signature("ValueError: /tmp/a1/run/y.py took 12.5s at 0xdeadbeef")


@given(st.text(max_size=300))
def test_any_output_is_read(text: str) -> None:
    found = assess_output(clean_output(text), 1)
    assert found.trigger == "failure" and len(failure_signature(found.error)) <= 200
    assert failure_signature(failure_signature(found.error)) is not None


def test_a_log_is_cut_at_its_prompts() -> None:
    text = "$ make\ncc main.c\n$ ./main --fast\nboom\n"
    assert list(split_log(text)) == [("make", "cc main.c"), ("./main --fast", "boom")]
    assert list(split_log("no prompt\n")) == [("", "no prompt\n")]


def test_captured_output_is_safe_found_and_kept_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_CREDENTIAL", "blue")
    secret = "hunter2" + "-long-enough"
    said = f"\x1b[31mFATAL\x1b[0m: login failed\nAPI_PASSWORD={secret}\n"
    report = memory.capture("deploy now", output=said, exit_code=2, cwd="/srv", session="s")
    assert (report.trigger, report.outcome) == ("failure", "new")
    assert memory.capture("deploy now", output=said, exit_code=2, cwd="/srv", session="s").outcome == "duplicate"
    memory.process()
    ((content, code, metadata),) = memory.cypher("MATCH (s:Snapshot) RETURN s.content, s.exit_code, s.metadata").rows
    assert secret not in content and code == 2 and "\x1b" not in content
    assert "PATH" in metadata and "SHOP_CREDENTIAL" not in metadata
    assert [hit.kind for hit in memory.search("login failed", kinds=["snapshot"]).hits] == ["snapshot"]


def test_a_command_is_run_where_no_output_is_given(memory: Memory) -> None:
    report = memory.capture([sys.executable, "-c", "raise SystemExit('ValueError: no')"])
    assert (report.exit_code, report.trigger) == (1, "failure")
    with pytest.raises(UsageError):
        memory.capture()


def test_the_rate_is_limited(memory: Memory) -> None:
    reports = [memory.capture("x", output=f"error {n}", exit_code=1) for n in range(40)]
    assert sum(report.outcome == "new" for report in reports) == 30
    assert reports[-1].outcome == "limited"


def test_pruning_keeps_what_a_gotcha_cites_and_the_minimum(memory: Memory) -> None:
    for number in range(6):
        memory.capture("x", output=f"nothing wrong {number}", exit_code=0)
    memory.capture("build", output="error: cannot link", exit_code=1, session="s")
    memory.process()
    store = memory._store
    report = prune_snapshots(store, max_age_days=0, max_bytes=0, keep_minimum=3)
    assert (report.deleted, report.freed > 0) == (4, True)
    memory.process()
    left = memory.cypher("MATCH (s:Snapshot) RETURN s.command").rows
    assert len(left) == 3 and ["build"] in left
    assert prune_snapshots(store, max_age_days=0, max_bytes=0, keep_minimum=0).deleted == 2


def test_ingest_keeps_failures_and_says_what_it_left_out(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("$ make\nok, 0 errors\n$ make test\nerror: test_x failed\n")
    (tmp_path / "b.jsonl").write_text('{"command": "npm ci", "output": "npm ERR! missing", "exit_code": 1}\nnot json\n')
    report = memory.ingest("terminal", tmp_path)
    assert report.new == 2
    assert report.skipped == {"nothing went wrong": 1, "malformed line": 1}
    assert memory.ingest("terminal", tmp_path).new == 0


def run(store: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    program = "from graphmem.interfaces.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", program, "run", "--store", str(store), "--", *arguments],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
    )


def test_run_is_the_command_itself(tmp_path: Path) -> None:
    code = "import sys; print('out'); sys.stderr.write('KeyError: 1'); sys.exit(5)"
    done = run(tmp_path / "store", sys.executable, "-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (5, b"out\n", b"KeyError: 1")
    with Memory.open(tmp_path / "store") as mem:
        (event,) = mem.history()
        assert event.type == "snapshot_captured" and event.payload["exit_code"] == 5
        assert "KeyError: 1" in event.payload["content"]
    (tmp_path / "file").write_text("no directory")
    done = run(tmp_path / "file", sys.executable, "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert run(tmp_path / "store", "no-such-program-at-all").returncode == 127


@pytest.mark.parametrize(
    ("output", "severity"),
    [
        ("오류: 데이터베이스 연결에 실패했습니다", "high"),
        ("요청이 시간 초과되었습니다", "medium"),
        ("경고: 오래된 설정입니다", "low"),
        ("검사 완료: 오류 0건, 경고 없음", ""),
        ("빌드가 실패 없이 끝났습니다", ""),
    ],
)
def test_korean_output_is_judged_alike(output: str, severity: str) -> None:
    assert severity_of(output) == severity
