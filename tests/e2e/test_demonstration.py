"""The demonstration in README: a session is warned before it repeats a failure that an earlier session solved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "fixtures" / "demonstration" / "two_sessions.py"


@pytest.mark.deep
def test_the_second_session_is_warned_before_it_repeats_the_mistake() -> None:
    done = subprocess.run([sys.executable, SCRIPT, ROOT], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.split("== session two ==")
    assert "ERROR: file or directory not found" in first and "This failed before" not in first
    assert "This failed before:" in second and "not run: the warning says that it fails" in second
    assert "`python -m pytest tests/unit/test_patterns.py -q` succeeded instead" in " ".join(second.split())


def test_what_it_needs_and_what_failed_is_said_in_words(tmp_path: Path) -> None:
    bare = [sys.executable, "-c", "import sys, runpy, importlib.util as u; find = u.find_spec;"
            "u.find_spec = lambda name, *more: None if name == 'pytest' else find(name, *more);"
            f"sys.argv = ['two_sessions.py']; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"]  # fmt: skip
    for command, words in ((bare, "install pytest first"), ([sys.executable, SCRIPT, tmp_path / "nope"], "git clone")):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr
    assert "does not exist" in done.stderr
