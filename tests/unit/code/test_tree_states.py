"""The helper process that hides secrets in many files: it answers, and says nothing on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.code.tree_states import FileContents


def test_a_helper_reads_many_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    paths = [f"m{number}.py" for number in range(120)]
    for path in paths:
        (tmp_path / path).write_text(f"name = {path!r}\n")
    found = list(FileContents(tmp_path, paths))
    assert [path for path, *_ in found] == sorted(paths)
    assert capfd.readouterr().err == ""
