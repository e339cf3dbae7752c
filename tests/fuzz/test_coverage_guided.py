"""Coverage-guided fuzzing (atheris) of what reads foreign bytes. Every day, each target runs on its seeds; with `-m deep` it runs for
GRAPHMEM_FUZZ_S seconds (default 60) from them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import coverage_targets
import pytest

SECONDS = int(os.environ.get("GRAPHMEM_FUZZ_S", "60"))


@pytest.mark.parametrize("name", coverage_targets.TARGETS)
def test_the_seeds_are_handled(name: str) -> None:
    for seed in (b"", b"\0", b"\xff\xfe", *coverage_targets.SEEDS[name]):
        coverage_targets.TARGETS[name](seed)


@pytest.mark.deep
@pytest.mark.timeout(SECONDS + 600)
@pytest.mark.parametrize("name", coverage_targets.TARGETS)
def test_nothing_is_found_in_a_minute(name: str, tmp_path: Path) -> None:
    pytest.importorskip(
        "atheris", reason="atheris is not installed: pip install -e '.[fuzz]' (Linux, Python 3.11 to 3.13)"
    )
    for number, seed in enumerate(coverage_targets.SEEDS[name]):
        (tmp_path / f"seed{number}").write_bytes(seed)
    limits = [
        f"-max_total_time={SECONDS}",
        "-max_len=4096",
        "-timeout=30",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={tmp_path}/",
    ]
    command = [sys.executable, str(Path(__file__).with_name("coverage_targets.py")), name, str(tmp_path), *limits]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS + 500)
    found = [path.read_bytes() for path in tmp_path.glob("*-*") if path.name.startswith(("crash", "timeout", "oom"))]
    assert done.returncode == 0 and not found, f"{found}\n{done.stderr[-3_000:]}"
