"""A progress line for terminals; nothing is shown in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
