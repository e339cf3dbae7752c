"""A stranger's repository, through the installed command and the hooks: nothing that it configures is started, nothing outside
of it is read, and nothing in its work tree is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile import Trap
from support import STOP_S

COMMAND = Path(sys.executable).parent / "graphmem"
PLANTED = ("graphmem", "json", "sqlite3", "typing", "subprocess", "git", "pydantic", "sitecustomize")


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """The hostile repository, with modules of known names in it, and links that lead out."""
    found = Trap(tmp_path / "place")
    mark = found.program("imported")
    for name in PLANTED:
        found.repository.write(f"{name}.py", f"import os\nos.system({mark!r})\n")
    (tmp_path / "private.md").write_text("# Private\n\nThe lighthouse code lies under the third stone.\n")
    (found.path / "notes2.md").symlink_to(tmp_path / "private.md")
    assert "fsmonitor" in found.spring()
    return found


def run(trap: Trap, *arguments: str, given: dict[str, object] | None = None) -> str:
    done = subprocess.run([COMMAND, *arguments], cwd=trap.path, input=None if given is None else json.dumps(given),
                          capture_output=True, text=True, timeout=STOP_S)  # fmt: skip
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    return done.stdout


def hook(trap: Trap, event: str, **given: object) -> str:
    return run(trap, "hook", event, given={"hook_event_name": event, "session_id": "s1", "cwd": str(trap.path)} | given)


@pytest.mark.deep
def test_nothing_of_a_repository_is_started(trap: Trap) -> None:
    run(trap, "init")
    assert trap.ran() == []
    said = [
        hook(trap, "SessionStart", source="startup"),
        hook(trap, "UserPromptSubmit", prompt="Where is the lighthouse code? Which amounts are whole cents?"),
        hook(
            trap,
            "PreToolUse",
            tool_name="Edit",
            tool_input={"file_path": str(trap.path / "cart.py"), "old_string": "1.21"},
        ),
        hook(
            trap,
            "PostToolUse",
            tool_name="Edit",
            tool_input={"file_path": str(trap.path / "cart.py")},
            tool_response={},
        ),
        hook(trap, "Stop"),
        hook(trap, "SessionEnd"),
    ]
    assert trap.ran() == []
    for command in (
        ("index",), ("code", "changes"), ("code", "history", "tax"), ("code", "history", "cart.py"), ("ingest", "git", "."),
        ("ingest", "documents", "."), ("ingest", "files", "."), ("search", "lighthouse code"), ("code", "callers", "tax"),
        ("code", "impact", "tax"), ("process",), ("status",), ("doctor",), ("rebuild",), ("tasks", "list"),
    ):  # fmt: skip
        said.append(run(trap, *command))
        assert trap.ran() == [], command
    assert "third stone" not in "".join(said) and "Fix the tax" in "".join(said)


def test_watching_starts_nothing(trap: Trap) -> None:
    run(trap, "index")
    with subprocess.Popen(
        [COMMAND, "watch"], cwd=trap.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as watching:
        try:
            assert watching.stdout is not None
            os.set_blocking(watching.stdout.fileno(), False)
            said, until = b"", time.monotonic() + STOP_S
            while b"new.py" not in said and time.monotonic() < until:
                trap.repository.write("new.py", f"def fresh():\n    return {time.monotonic()}\n")
                time.sleep(1)
                said += watching.stdout.read() or b""
        finally:
            watching.terminate()
    assert b"new.py" in said and trap.ran() == []


def test_somebody_elses_repository_is_refused_in_one_sentence(repository) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    repository.commit("one", {"a.py": "x = 1\n"})
    for folder in (repository.path, repository.path / ".git"):
        os.chown(folder, 65534, -1)
    for command in (("init",), ("index",), ("ingest", "git", ".")):
        done = subprocess.run([COMMAND, *command], cwd=repository.path, capture_output=True, text=True, timeout=STOP_S)
        assert done.returncode == 1 and "safe.directory" in done.stderr and "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) <= 3
    given = json.dumps({"session_id": "s1", "cwd": str(repository.path), "source": "startup"})
    done = subprocess.run(
        [COMMAND, "hook", "SessionStart"],
        cwd=repository.path,
        input=given,
        capture_output=True,
        text=True,
        timeout=STOP_S,
    )
    assert done.returncode == 0 and json.loads(done.stdout) is not None
