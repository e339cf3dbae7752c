"""Progress of long commands on standard error: a line for terminals, nothing in a pipe. `init` also says, in both, when each
part can be asked about."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphmem.log.stages import CODE, describe, read_state

_LOOK_S = 0.2  # between two looks at the state of `init`
_FIRST_QUESTION = ": try `graphmem code callers NAME`"


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[str, int], None] | None]:
    """Yield a function (stage, count) that updates the progress line, or None without a terminal."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,}"), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as progress:  # fmt: skip
        stages: dict[str, object] = {}

        def tell(stage: str, count: int) -> None:
            if stage not in stages:
                stages[stage] = progress.add_task(stage, total=None)
            progress.advance(stages[stage], count)  # type: ignore[arg-type]

        yield tell


@contextmanager
def init_progress(store: str) -> Iterator[Callable[[str, int], None]]:
    """Yield a progress function for `init` that prints a line when a stage is ready; on a terminal also what is being done,
    with its total and remaining time."""
    begun, shown, looked = time.time(), set[str](), [0.0]
    is_terminal = sys.stderr.isatty()

    def look() -> None:
        state = read_state(store)
        if state is None or state.at < begun:  # of an earlier run
            return
        clear = "\r\033[K" if is_terminal else ""
        for stage in state.stages:
            if stage.ready_s is not None and stage.name not in shown:
                shown.add(stage.name)
                hint = _FIRST_QUESTION if stage.name == CODE else ""
                sys.stderr.write(f"{clear}{stage.name} ready after {stage.ready_s:.1f} s{hint}\n")
        if is_terminal and state.is_pending:
            sys.stderr.write(f"{clear}{describe(state).partition('; ')[2]}")
        sys.stderr.flush()

    def tell(stage: str, count: int) -> None:
        if time.monotonic() - looked[0] > _LOOK_S:
            looked[0] = time.monotonic()
            look()

    try:
        yield tell
    finally:
        look()
        if is_terminal:
            sys.stderr.write("\r\033[K")
