"""The demonstration of README, run as it stands there: what one session learns, the next is told before it repeats it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "fixtures" / "demonstration" / "two_sessions.py"


def test_the_second_session_is_warned_before_it_repeats_the_mistake(tmp_path: Path) -> None:
    environment = {**os.environ, "GRAPHMEM_HOME": str(tmp_path / "memory"), "GRAPHMEM_OWNER__IDLE_S": "2"}
    done = subprocess.run([sys.executable, SCRIPT, ROOT], capture_output=True, text=True, env=environment, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.split("== session two ==")
    assert "ERROR: file or directory not found" in first and "This failed before" not in first
    assert "This failed before:" in second and "not run: the agent knows better" in second
    assert "`python -m pytest tests/unit/test_settings.py -q` succeeded instead" in " ".join(second.split())
