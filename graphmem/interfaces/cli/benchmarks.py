"""`graphmem bench SUITE`: benchmarks on your own data or on a generated store. Quality suites also print baselines
(BM25 alone, vectors alone) from the same run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from graphmem.errors import UsageError
from graphmem.interfaces.cli.grid import print_table

RECALL = ("locomo", "twowiki", "longmemeval", "paraphrase", "repository", "questions", "confidence", "memify", "tree")
TREE = ("code", "cognify", "agent")
COMPARED = {
    "compare": "graphmem.bench.compare",
    "compare-truth": "graphmem.bench.compare_truth",
    "compare-code": "graphmem.bench.compare_code",
}  # with rivals
SPEED = {
    "latency": 100_000,
    "index": 100_000,
    "rebuild": 20_000,
    "hooks": 20,
    "memify": 10_000,
    "viewer": 100_000,
    "owner": 100_000,
    "redaction": 2,
    "weight": 20,
    "engines": 60_000,
    "load": 600,
    "load-shared": 600,
    "capacity": 10_000,
    "soak": 30,
}  # suite -> default count


SUITES = tuple(dict.fromkeys((*RECALL, *COMPARED, *TREE, "agent-runs", *SPEED, "oracle")))  # some suites have both


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the command. `fail` prints an error and exits."""

    @app.command("bench", help="Run a benchmark: quality on your own data, or speed on a generated store.")
    def bench(
        suite: Annotated[str, typer.Argument(help=", ".join(SUITES))],
        data: Annotated[
            Path | None,
            typer.Option(
                help="folder of the data set, source code, or transcripts; a SCIP index (oracle, compare-code)"
            ),
        ] = None,
        count: Annotated[
            int | None,
            typer.Option(
                help="number of items, events, runs, seconds (load, load-shared), questions per type, or differences to show"
            ),
        ] = None,
        ablate: Annotated[
            bool, typer.Option("--ablate", help="also measure with each channel disabled in turn")
        ] = False,
        keep: Annotated[
            Path | None,
            typer.Option(help="keep the generated store (latency), or plan and runs (agent-runs), in this folder"),
        ] = None,
        agent: Annotated[
            str | None,
            typer.Option(help="claude-code, codex or a command, with arguments of its own (agent-runs)"),
        ] = None,
        repeats: Annotated[int, typer.Option(min=1, help="runs of each task in each way (agent-runs)")] = 1,
        rivals: Annotated[
            str | None,
            typer.Option(help="only these rivals, separated by commas (compare, compare-truth, compare-code)"),
        ] = None,
        python: Annotated[
            Path | None, typer.Option(help="the Python that has the rivals installed (compare, compare-truth)")
        ] = None,
        programs: Annotated[
            Path | None, typer.Option(help="the folder with an environment of each rival (all that compare)")
        ] = None,
        as_json: Annotated[
            bool,
            typer.Option("--json", help="print one JSON line instead of tables (weight, agent-runs, all that compare)"),
        ] = False,
    ) -> None:
        try:
            if suite == "agent-runs":
                print_agent_runs(data, agent, count, repeats, keep, as_json=as_json)
            elif suite in COMPARED:
                compare(suite, data, rivals, python, programs, as_json=as_json)
            elif suite == "weight" and not as_json:
                run = import_module("graphmem.bench.weight").run
                print_weight(run(SPEED[suite] if count is None else count, data))
            else:
                measure(suite, data, count, ablate, keep)
        except Exception as error:  # noqa: BLE001 (no traceback reaches a user)
            fail(error, as_json=False)


def compare(
    suite: str,
    data: Path | None,
    rivals: str | None,
    python: Path | None = None,
    programs: Path | None = None,
    *,
    as_json: bool,
) -> None:
    """Run graphmem and its rivals, and print a Markdown table or JSON. `python` has the rivals installed, or the folder `programs`
    has an environment of each. Raises UsageError without data."""
    if data is None:
        raise UsageError(f"`{suite}` needs data: add --data FOLDER", suite=suite)
    module = import_module(COMPARED[suite])
    names = module.RIVALS if rivals is None else [name.strip() for name in rivals.split(",") if name.strip()]
    found = module.run(data, names, programs) if suite == "compare-code" else module.run(data, names, python, programs)
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else module.markdown(found))


def print_agent_runs(
    data: Path | None, agent: str | None, count: int | None, repeats: int, keep: Path | None, *, as_json: bool
) -> None:
    """Run an agent with and without graphmem, and print a Markdown table or JSON. Raises UsageError without data or agent."""
    if data is None or agent is None:
        raise UsageError("`agent-runs` needs tasks and an agent: add --data FOLDER and --agent claude-code")
    module = import_module("graphmem.bench.agent_runs")
    found = module.run(data, agent, count, repeats, keep)
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else module.markdown(found))


def print_weight(found: Mapping[str, Any]) -> None:
    """Print the result of the suite `weight` as tables."""
    console = Console(highlight=False)
    for title, columns, rows in import_module("graphmem.bench.weight").tables(found):
        print_table(console, columns, rows, title)
        console.print()


def print_oracle(data: Path, count: int) -> None:
    """Print how the calls of the working directory agree with an index of SCIP, and some differences."""
    console, oracle = Console(highlight=False), import_module("graphmem.bench.oracle")
    scores, differences = oracle.run(data, count=count)
    print_table(console, oracle.TITLES, [list(score) for score in scores])
    if differences:
        print_table(console, ["difference", "call", "name", "definition"], [list(each) for each in differences])


def measure(suite: str, data: Path | None, count: int | None, ablate: bool, keep: Path | None = None) -> None:
    """Run a suite and print its table. Raises UsageError for an unknown suite, or if a quality suite has no data."""
    if suite in SPEED and (data is None or suite not in RECALL):
        module = import_module(f"graphmem.bench.{suite.replace('-', '_')}")
        more = {"latency": [keep], "hooks": [data], "redaction": [data], "weight": [data]}.get(suite, [])
        module.main(SPEED[suite] if count is None else count, *more)
        return
    if suite not in (*RECALL, *TREE, "oracle"):
        raise UsageError(f"unknown suite `{suite}`: choose one of {', '.join(SUITES)}", suite=suite)
    if data is None:
        raise UsageError(f"`{suite}` needs data: add --data {'FILE' if suite == 'oracle' else 'FOLDER'}", suite=suite)
    if suite == "oracle":
        print_oracle(data, count or 0)
        return
    module = import_module(f"graphmem.bench.{suite}")
    if suite in TREE:
        titles = getattr(module, "TITLES", ["what", "seconds", "lines/s", "note"])
        rows = module.run(data) if count is None or suite != "agent" else module.run(data, count)
        print_table(Console(highlight=False), titles, [list(row) for row in rows])
        return
    rows = module.run(data, ablate=ablate)
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    table = [[row.system, row.group, row.questions, *(row.metrics.get(name) for name in names)] for row in rows]
    print_table(Console(highlight=False), ["system", "group", "questions", *names], table)
