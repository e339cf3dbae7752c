"""Output of one endless line is read in time proportional to its length: a hook's host prints what it likes."""

from __future__ import annotations

import pytest
from support import processor_seconds

from graphmem.extract.terminal import clean_output, detail_of, place_of, snapshot_draft

UNITS = (
    ".",
    "=",
    "= ",
    "Error: ",
    "x",
    "-",
    "a/",
    "a.",
    "error",
    "_error",
    "ab\r",
    "E ",
    "A.B",
    "error ",
    "\x1b]",
    'File "',
    "a@b ",
    "no ",
    "0",
)


def _read(output: str) -> None:
    snapshot_draft(output, project="p", at=1, command="make", exit_code=2)
    place_of(output, "error")
    detail_of(output, "error")


@pytest.mark.parametrize("unit", UNITS)
def test_eight_times_the_output_takes_about_eight_times_as_long(unit: str) -> None:
    short, long = (processor_seconds(lambda n=n: _read(unit * n + "\nerror here")) for n in (2_000, 16_000))
    assert long < 30 * short + 0.5


def test_overwritten_progress_lines_are_left_out() -> None:
    assert clean_output("10 %\r50 %\rdone\r\nnext\r\n1\r2\rthree") == "done\nnext\nthree"
    assert clean_output("a\nb\r") == "a\n"
