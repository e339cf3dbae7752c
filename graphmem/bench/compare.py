"""Suite `compare`: graphmem and named rivals answer the same questions over the same texts in one run. Every rival is asked by a
small adapter in `rivals`, at a pinned version. A rival that does not run is a failure in the table, never left out."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.bench import locomo, paraphrase
from graphmem.bench.retrieval import Case, fill
from graphmem.errors import UsageError
from graphmem.memory import Memory
from graphmem.resources import VERSION

KS = (1, 5, 10)
_FOLDER = Path(__file__).with_name("rivals")
RIVALS = tuple(sorted(path.stem.removeprefix("rival_") for path in _FOLDER.glob("rival_*.py")))
_SEED, _RESAMPLES = 0, 2_000
_LIMIT_S = 3_600


@dataclass(frozen=True, slots=True)
class Result:
    """One system: recall at each k, a 95 % confidence interval of recall@5 (bootstrap over questions), seconds to store all texts,
    and the median milliseconds of a query; or why it failed."""

    system: str
    version: str
    questions: int
    recall: dict[str, float]
    interval: tuple[float, float]
    fill_s: float
    query_ms: float
    failed: str = ""


def run(
    data: Path, rivals: Sequence[str] = RIVALS, python: Path | None = None, programs: Path | None = None
) -> dict[str, Any]:
    """Return `{"machine", "data", "at", "seed", "results"}`. `data` is a folder of questions (`fixtures/questions`) or of LoCoMo.
    A rival runs in the environment of its name in the folder `programs`, otherwise in the interpreter `python`. Raises UsageError
    for an unknown rival, SourceError without data."""
    check_rivals(rivals)
    cases = load_cases(data)
    given = {
        "cases": [
            {
                "documents": [[one.ref, f"{one.title} {one.text}".strip()] for one in case.documents],
                "queries": [one.query for one in case.questions],
            }
            for case in cases
        ],
        "k": max(KS),
    }
    answers = {
        "graphmem": _ask_graphmem(cases),
        **{name: ask_rival(name, given, interpreter_of(name, python, programs)) for name in rivals},
    }
    gold = [one.gold for case in cases for one in case.questions]
    return {
        "machine": describe_machine(),
        "data": data.resolve().name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": _SEED,
        "results": [asdict(score(name, answer, gold)) for name, answer in answers.items()],
    }


def check_rivals(rivals: Sequence[str]) -> None:
    """Raise UsageError for an unknown rival."""
    unknown = [name for name in rivals if name not in RIVALS]
    if unknown:
        raise UsageError(f"unknown rival `{unknown[0]}`: choose of {', '.join(RIVALS)}", rival=unknown[0])


def interpreter_of(name: str, python: Path | None, programs: Path | None) -> Path:
    """Return the Python of a rival: that of the environment of its name in `programs`, else `python`, else the running one."""
    own = None if programs is None else programs / name / "bin" / "python"
    if own is not None and own.exists():
        return own
    return Path(sys.executable) if python is None else python


def load_cases(data: Path) -> list[Case]:
    """Return what is stored and asked: the questions of the repository if the folder has them, else LoCoMo."""
    if (data / "paraphrase_en.tsv").exists():
        return [paraphrase.case(data)]
    return list(locomo.cases(data))


def score(name: str, answer: dict[str, Any], gold: Sequence[frozenset[str]]) -> Result:
    """Return the result of one answer of a system. `gold` has the refs that answer each question."""
    if "failed" in answer:
        return Result(name, answer.get("version", ""), 0, {}, (0.0, 0.0), 0.0, 0.0, answer["failed"])
    shares = {
        k: np.array([len(right & set(hits[:k])) / len(right) for right, hits in zip(gold, answer["hits"], strict=True)])
        for k in KS
    }
    chance = np.random.default_rng(_SEED)
    means = chance.choice(shares[5], (_RESAMPLES, len(gold))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    recall = {f"recall@{k}": round(float(values.mean()), 3) for k, values in shares.items()}
    middle = float(np.median(answer["ms"]))
    return Result(
        name,
        answer["version"],
        len(gold),
        recall,
        (round(float(low), 3), round(float(high), 3)),
        answer["fill_s"],
        round(middle, 2),
    )


def _ask_graphmem(cases: Sequence[Case]) -> dict[str, Any]:
    hits, times, filled = [], [], 0.0
    for case in cases:
        with (
            tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
            Memory.open(Path(folder) / "store", project="bench") as memory,
        ):
            started = time.perf_counter()
            fill(memory, case.documents)
            filled += time.perf_counter() - started
            kinds = ["turn" if case.documents[0].session else "document"]
            for question in case.questions:
                started = time.perf_counter()
                found = memory.search(question.query, k=max(KS), kinds=kinds).hits
                times.append((time.perf_counter() - started) * 1_000)
                hits.append([hit.ref or "" for hit in found])
    return {"version": VERSION, "fill_s": round(filled, 2), "hits": hits, "ms": times}


def ask_rival(name: str, given: dict[str, Any], python: Path) -> dict[str, Any]:
    """Run an adapter in its interpreter. -P: its folder must not hide a library of the same name."""
    try:
        done = subprocess.run(
            [str(python), "-P", str(_FOLDER / "runner.py"), name],
            input=json.dumps(given), capture_output=True, text=True, timeout=_LIMIT_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"failed": f"{type(error).__name__}: {python} did not answer"}
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"failed": f"ended with status {done.returncode} and no result"}
    return answer


def describe_machine() -> dict[str, Any]:
    """Return system, processor and versions of a run."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "graphmem": VERSION,
    }


def markdown(found: dict[str, Any]) -> str:
    """Return the results as a Markdown table below a line about the run."""
    machine = ", ".join(str(value) for value in found["machine"].values())
    lines = [
        f"Data: {found['data']}. {found['at']}, {machine}, seed {found['seed']}.",
        "",
        "| System | Version | Questions | Recall@1 | @5 (95 % interval) | @10 | Store all | A query |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found["results"]:
        if one["failed"]:
            lines.append(
                f"| {one['system']} | {one['version']} | failed: {one['failed'].replace('|', '/')} | | | | | |"
            )
            continue
        recall, (low, high) = one["recall"], one["interval"]
        lines.append(
            f"| {one['system']} | {one['version']} | {one['questions']} | {recall['recall@1']:.2f} | {recall['recall@5']:.2f}"
            f" ({low:.2f}–{high:.2f}) | {recall['recall@10']:.2f} | {one['fill_s']:.1f} s | {one['query_ms']:.1f} ms |"
        )
    return "\n".join(lines)
