"""LoCoMo (snap-research, CC BY-NC 4.0; the data is not part of this project): recall of the turns that answer a question
about a long conversation. One store a conversation; the data folder holds `conv_*.json` or the upstream `locomo10.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphmem.bench.retrieval import Case, Document, Question, Row, measure, read_json
from graphmem.errors import SourceError

KS = (5, 10, 25, 50)
_GROUPS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table. Raises SourceError if the folder holds no conversation."""
    return measure(cases(data), KS, ablate=ablate)


def cases(data: Path) -> Iterator[Case]:
    """One case a conversation."""
    files = sorted([*data.glob("conv_*.json*"), *data.glob("locomo*.json*")])
    if not files:
        raise SourceError(f"{data} contains no conv_*.json or locomo10.json", path=str(data))
    for file in files:
        content = read_json(file)
        for sample in content if isinstance(content, list) else [content]:
            yield _case(sample)


def _case(sample: dict[str, Any]) -> Case:
    talk = sample["conversation"]
    numbers = sorted(int(key.split("_")[1]) for key, value in talk.items() if isinstance(value, list))
    documents = []
    for number in numbers:
        start = _when(talk.get(f"session_{number}_date_time", ""), number)
        for place, turn in enumerate(talk[f"session_{number}"]):
            shown = f" [shares a picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['speaker']}: {turn['text']}{shown}"
            at = start + timedelta(seconds=30 * place)
            documents.append(Document(turn["dia_id"], text, session=f"s{number}", at=at))
    known = {document.ref for document in documents}
    questions = [
        Question(asked["question"], gold, _GROUPS.get(asked["category"], "other"))
        for asked in sample["qa"]
        if (gold := frozenset(re.findall(r"D\d+:\d+", str(asked.get("evidence")))) & known)
    ]
    return Case(sample["sample_id"], documents, questions)


def _when(text: str, number: int) -> datetime:
    for form in ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %b, %Y"):
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=number)
