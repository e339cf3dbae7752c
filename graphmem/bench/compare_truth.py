"""Suite `compare-truth`: which system gives the current statement first once a statement was replaced, and still finds the old
one. All scenarios of `truth.jsonl` are in one store, in order of time. A scenario has statements that no longer hold (`old`), the
one that replaced them (`now`), others about the same thing that still hold (`beside`), and two questions: what holds, and what held
before. graphmem also gets the first question as of the day before the change; rivals are asked what they can be asked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphmem.bench.compare import RIVALS, ask_rival, check_rivals, describe_machine, interpreter_of
from graphmem.bench.retrieval import Document, fill, read_lines
from graphmem.memory import Memory
from graphmem.resources import VERSION

_FILE = "truth.jsonl"
_K = 5
Share = tuple[int, int]  # right, of how many


@dataclass(frozen=True, slots=True)
class Scenario:
    """What was stated about one thing, by ref, and the questions: what holds, and what held before."""

    language: str
    old: frozenset[str]
    now: str
    documents: tuple[Document, ...]
    question: str
    past: str
    before: datetime


@dataclass(frozen=True, slots=True)
class Result:
    """One system, all scenarios or those of one language: the current statement is the first hit; an old one is the first hit,
    though it no longer holds; an old one is among the first five for the question about the past; an old one is the first hit as
    of the day before the change (None if it cannot be asked). Or why it failed."""

    system: str
    version: str
    language: str = ""
    current: Share = (0, 0)
    outdated: Share = (0, 0)
    past: Share = (0, 0)
    as_of: Share | None = None
    failed: str = ""


def run(
    data: Path, rivals: Sequence[str] = RIVALS, python: Path | None = None, programs: Path | None = None
) -> dict[str, Any]:
    """Return `{"machine", "data", "at", "results"}`; arguments as in the suite `compare`. Raises UsageError for an unknown rival,
    SourceError without scenarios."""
    check_rivals(rivals)
    scenarios = load_scenarios(data)
    documents = sorted((one for each in scenarios for one in each.documents), key=lambda one: str(one.at))
    queries = [query for each in scenarios for query in (each.question, each.past)]
    given = {"cases": [{"documents": [[one.ref, one.text] for one in documents], "queries": queries}], "k": _K}
    results = score("graphmem", _ask_graphmem(documents, scenarios), scenarios)
    for name in rivals:
        results += score(name, ask_rival(name, given, interpreter_of(name, python, programs)), scenarios)
    return {
        "machine": describe_machine(),
        "data": data.resolve().name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "results": [asdict(result) for result in results],
    }


def load_scenarios(data: Path) -> list[Scenario]:
    """Return the scenarios of a folder. Raises SourceError if it has none."""
    return [_scenario(number, row) for number, row in enumerate(read_lines(data / _FILE))]


def _scenario(number: int, row: dict[str, Any]) -> Scenario:
    stated = [
        *(("old", *one) for one in row["old"]),
        ("now", *row["now"]),
        *(("beside", *one) for one in row["beside"]),
    ]
    documents = tuple(
        Document(f"{number}-{place}-{part}", text, session=f"{number}-{place}-{part}", at=_noon(day))
        for place, (part, day, text) in enumerate(stated)
    )
    return Scenario(
        row["language"],
        frozenset(one.ref for one in documents if one.ref.endswith("-old")),
        next(one.ref for one in documents if one.ref.endswith("-now")),
        documents,
        row["question"],
        row["past"],
        _noon(row["now"][0]) - timedelta(days=1),
    )


def _noon(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")


def _ask_graphmem(documents: Sequence[Document], scenarios: Iterable[Scenario]) -> dict[str, Any]:
    """Return hits by the session of their statement, so that a fact counts as the statement it comes from."""
    with (
        tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
        Memory.open(Path(folder) / "store", project="bench") as memory,
    ):
        fill(memory, documents)

        def search(query: str, as_of: datetime | None = None) -> list[str]:
            found = memory.search(query, k=_K, as_of=as_of).hits
            return list(dict.fromkeys(hit.session or "" for hit in found))

        hits, as_of = [], []
        for each in scenarios:
            hits += [search(each.question), search(each.past)]
            as_of.append(search(each.question, each.before))
    return {"version": VERSION, "hits": hits, "as_of": as_of}


def score(system: str, answer: dict[str, Any], scenarios: Sequence[Scenario]) -> list[Result]:
    """Return the results of one system: of all scenarios and of each language."""
    if "failed" in answer:
        return [Result(system, answer.get("version", ""), failed=answer["failed"])]
    answered = list(zip(scenarios, answer["hits"][::2], answer["hits"][1::2], strict=True))
    earlier = dict(zip(map(id, scenarios), answer.get("as_of", ()), strict=False))
    results = []
    for language in ("", *dict.fromkeys(each.language for each in scenarios)):
        chosen = [(each, hits, past) for each, hits, past in answered if language in ("", each.language)]

        def share(is_right: Callable[[Scenario, list[str], list[str]], bool], chosen: Any = chosen) -> Share:
            return sum(is_right(*one) for one in chosen), len(chosen)

        results.append(
            Result(
                system,
                answer["version"],
                language,
                current=share(lambda each, hits, _: hits[:1] == [each.now]),
                outdated=share(lambda each, hits, _: not each.old.isdisjoint(hits[:1])),
                past=share(lambda each, _, past: not each.old.isdisjoint(past[:_K])),
                as_of=share(lambda each, *_: not each.old.isdisjoint(earlier[id(each)][:1])) if earlier else None,
            )
        )
    return results


def markdown(found: dict[str, Any]) -> str:
    """Return the results as a Markdown table below a line about the run."""
    machine = ", ".join(str(value) for value in found["machine"].values())
    lines = [
        f"Data: {found['data']}/{_FILE}. {found['at']}, {machine}.",
        "",
        "| System | Version | Language | Current first | Outdated first | Old one found | As of the day before |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found["results"]:
        head = f"| {one['system']} | {one['version']} |"
        if one["failed"]:
            lines.append(f"{head} failed: {one['failed'].replace('|', '/')} | | | | |")
            continue
        shares = [one[name] for name in ("current", "outdated", "past", "as_of")]
        cells = ["–" if each is None else f"{each[0]} of {each[1]}" for each in shares]
        lines.append(f"{head} {one['language'] or 'all'} | {' | '.join(cells)} |")
    return "\n".join(lines)
