"""Progress of long commands on standard error: a line for terminals, nothing in a pipe. `init` says at once what it does, and
then, in both, when each part can be asked about."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphmem.log.stages import CODE, TO_PARSE, describe, read_state

_LOOK_S = 0.2  # between two looks at the state of `init`
_FIRST_QUESTION = ": try `graphmem code callers NAME`"
_CLEAR = "\r\033[K"


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
            if stage == TO_PARSE:
                return
            if stage not in stages:
                stages[stage] = progress.add_task(stage, total=None)
            progress.advance(stages[stage], count)  # type: ignore[arg-type]

        yield tell


@contextmanager
def init_progress(store: str) -> Iterator[None]:
    """Print a line when a stage of `init` is ready; on a terminal also what is being done, with its total and remaining time,
    from the first moment on."""
    begun, shown, ended = time.time(), set[str](), threading.Event()
    is_terminal = sys.stderr.isatty()

    def look() -> None:
        state = read_state(store)
        is_ours = state is not None and state.at >= begun  # not of an earlier run
        for stage in state.stages if state is not None and is_ours else ():
            if stage.ready_s is not None and stage.name not in shown:
                shown.add(stage.name)
                hint = _FIRST_QUESTION if stage.name == CODE else ""
                clear = _CLEAR if is_terminal else ""
                sys.stderr.write(f"{clear}{stage.name} ready after {stage.ready_s:.1f} s{hint}\n")
        if is_terminal and not ended.is_set():
            doing = "starting the owner process"
            if state is not None and is_ours:
                doing = describe(state).partition("; ")[2] if state.is_pending else "finishing"
            line = f"{time.time() - begun:3.0f} s  {doing}"
            sys.stderr.write(f"{_CLEAR}{line[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()

    def watch() -> None:
        while not ended.wait(_LOOK_S):
            look()

    look()
    watcher = threading.Thread(target=watch, name="graphmem-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        look()
        if is_terminal:
            sys.stderr.write(_CLEAR)
