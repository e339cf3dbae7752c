"""`graphmem bench SUITE`: measure on data that you bring, or on a made-up store. Recall suites print the floors (BM25 and
vectors alone) of the same run beside the product's own figures."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from graphmem.errors import UsageError
from graphmem.interfaces.cli.grid import grid

RECALL = ("locomo", "twowiki", "longmemeval", "paraphrase", "repository", "confidence", "memify", "tree")
TREE = ("code", "cognify")
SPEED = {
    "latency": 100_000,
    "index": 100_000,
    "rebuild": 20_000,
    "hooks": 20,
    "memify": 10_000,
    "viewer": 100_000,
    "owner": 100_000,
    "redaction": 2,
}  # suite -> how many, unless told


SUITES = tuple(dict.fromkeys((*RECALL, *TREE, *SPEED)))  # some measure both


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the command; `fail` ends the program with a sentence."""

    @app.command("bench", help="Measure recall on data you bring, or speed on a made-up store.")
    def bench(
        suite: Annotated[str, typer.Argument(help=", ".join(SUITES))],
        data: Annotated[
            Path | None, typer.Option(help="the folder of the data set, of code, or of transcripts")
        ] = None,
        count: Annotated[int | None, typer.Option(help="how many items, events or runs, for speed")] = None,
        ablate: Annotated[bool, typer.Option("--ablate", help="also without each channel in turn")] = False,
        keep: Annotated[Path | None, typer.Option(help="keep the made-up store in this folder, for latency")] = None,
    ) -> None:
        try:
            measure(suite, data, count, ablate, keep)
        except Exception as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)


def measure(suite: str, data: Path | None, count: int | None, ablate: bool, keep: Path | None = None) -> None:
    """Run one suite and print its table. Raises UsageError for an unknown one, or recall without data."""
    if suite in SPEED and (data is None or suite not in RECALL):
        module = import_module(f"graphmem.bench.{suite}")
        more = {"latency": [keep], "hooks": [data], "redaction": [data]}.get(suite, [])
        module.main(SPEED[suite] if count is None else count, *more)
        return
    if suite not in (*RECALL, *TREE):
        raise UsageError(f"there is no suite `{suite}`: choose one of {', '.join(SUITES)}", suite=suite)
    if data is None:
        raise UsageError(f"`{suite}` needs data: name its folder with --data", suite=suite)
    from rich.console import Console

    module = import_module(f"graphmem.bench.{suite}")
    if suite in TREE:
        titles = ["what", "seconds", "lines/s", "note"]
        grid(Console(highlight=False), titles, [list(row) for row in module.run(data)])
        return
    rows = module.run(data, ablate=ablate)
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    table = [[row.system, row.group, row.questions, *(row.metrics.get(name) for name in names)] for row in rows]
    grid(Console(highlight=False), ["system", "group", "questions", *names], table)
