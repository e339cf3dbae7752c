"""LongMemEval: retrieval of the chat sessions that answer a question. Each question has its own store; a session ranks as
its best turn. The data (MIT) is not included: pass a JSON file in the upstream format, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphmem.bench.retrieval import Case, Document, Question, Row, measure, read_json
from graphmem.errors import SourceError

KS = (1, 3, 5, 10)  # sessions
_DEPTH = 200  # turns that are asked for


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Recall of sessions: the share of a question's sessions among the first k (recall_all counts whole questions)."""
    return measure(cases(data), KS, ablate=ablate, unit=lambda ref: ref.partition(":")[0], depth=_DEPTH)


def cases(data: Path) -> Iterator[Case]:
    """Yield one case per question that has an answer."""
    files = sorted(data.glob("*.json*")) if data.is_dir() else [data]
    found = [sample for file in files for sample in read_json(file)]
    if not found:
        raise SourceError(f"{data} contains no LongMemEval file", path=str(data))
    for sample in found:
        case = _case(sample)
        if case.questions[0].gold:
            yield case


def _case(sample: dict[str, Any]) -> Case:
    answering = set(sample["answer_session_ids"])
    gold = {str(number) for number, name in enumerate(sample["haystack_session_ids"]) if name in answering}
    documents = []
    for number, session in enumerate(sample["haystack_sessions"]):
        start = _when(sample["haystack_dates"][number], number)
        for place, turn in enumerate(session):
            at = start + timedelta(seconds=20 * place)
            # Upstream session names reveal the answer, so use their index instead.
            documents.append(
                Document(f"{number}:{place}", turn["content"], session=f"s{number:04}", role=turn["role"], at=at)
            )
    return Case(
        sample["question_id"], documents, [Question(sample["question"], frozenset(gold), sample["question_type"])]
    )


def _when(text: str, number: int) -> datetime:
    for form in ("%Y/%m/%d (%a) %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d %H:%M", "%Y-%m-%d"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=number)
