"""Step `facts` with a language model: it words the facts of a window, and only what it can quote from the log is kept.
Where it fails, is too expensive or says what the log does not, the rules do the work."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from graphmem import resources
from graphmem.cognify import cues, facts
from graphmem.cognify.claims import claim_of
from graphmem.cognify.source import Source
from graphmem.cognify.windows import Window, cut_windows
from graphmem.errors import ModelError
from graphmem.ports.writer import Writer
from graphmem.text.align import align
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import origin_of

if TYPE_CHECKING:
    from pydantic import BaseModel

PROMPT = "queries/prompts/facts_1.md"
_LONGEST = 4_000  # characters of one turn that are shown
_READ = frozenset({"user_prompt", "agent_response"})  # what a model reads; the rest is left to the rules


@cache
def response_model() -> type[BaseModel]:
    """Return the form that a model fills (pydantic is imported only where one is asked)."""
    from pydantic import BaseModel, ConfigDict, Field

    class Fact(BaseModel):
        """One atomic fact."""

        model_config = ConfigDict(extra="forbid")
        log: int = Field(ge=1)
        fact: str = Field(min_length=12, max_length=400)
        quote: str = Field(min_length=8, max_length=500)
        kind: Literal["decision", "preference", "rule", "fix", "cause", "failure", "change", "property"]
        outcome: Literal["success", "failure", "partial", "unknown"] = "unknown"
        confidence: float = Field(default=0.7, ge=0, le=1)
        tags: list[str] = Field(default_factory=list, max_length=8)

    class Facts(BaseModel):
        """All facts that a window states."""

        model_config = ConfigDict(extra="forbid")
        facts: list[Fact] = Field(max_length=40)

    return Facts


def derive(sources: Sequence[Source], writer: Writer, size: int, overlap: int) -> list[dict[str, Any] | None]:
    """Return the bodies of the derivations, as `facts.derive` makes them."""
    spoken = [source for source in sources if _spoken(source)]
    bodies: dict[str, dict[str, Any] | None] = {}
    for window in cut_windows(spoken, size, overlap):
        try:
            bodies |= _ask_model(window, writer)
        except ModelError:
            continue  # counted where it happened; the rules below read these turns
    left = [source for source in sources if source.event.id not in bodies]
    bodies |= {source.event.id: body for source, body in zip(left, facts.derive(left), strict=True)}
    return [bodies[source.event.id] for source in sources]


def _spoken(source: Source) -> bool:
    payload = source.event.payload
    text = str(payload.get("content") or "")
    said = source.event.type in _READ and payload.get("role") != "system" and not payload.get("agent")
    return said and bool(text.strip()) and not cues.HOST_TEXT.match(text) and not reasons_of(source.event)


def _ask_model(window: Window, writer: Writer) -> dict[str, dict[str, Any] | None]:
    instructions = resources.text(PROMPT)
    written = writer.write(instructions, _format_window(window), response_model())
    found: dict[str, list[dict[str, Any]]] = {source.event.id: [] for source in window.sources}
    maker = {"model": writer.name, "prompt": hashlib.sha256(instructions.encode()).hexdigest()[:16]}
    for fact in written.form.facts:  # type: ignore[attr-defined]
        if fact.log <= len(window.sources):
            source = window.sources[fact.log - 1]
            made = _fact(fact, source)
            if made:
                found[source.event.id].append(made)
    return {source.event.id: _body(source, found[source.event.id], maker) for source in window.sources}


def _format_window(window: Window) -> str:
    """Return the log as data: number, time, speaker, text. What could end the fence is taken out."""
    lines = ["<log>"]
    for number, source in enumerate([*window.before, *window.sources], 1 - len(window.before)):
        at = datetime.fromtimestamp(source.event.at / 1_000_000, UTC)
        who = "agent" if source.event.type == "agent_response" else "user"
        text = facts.text_of(source.event)[:_LONGEST].replace("</log>", "")
        lines.append(f"[{number if number > 0 else 'before'}] {at:%Y-%m-%d %H:%M} {who}: {text}")
    return "\n".join([*lines, "</log>"])


def _fact(told: Any, source: Source) -> dict[str, Any] | None:
    """Return the fact with its exact span; None if the log does not say the quote, or the fact does not stand
    alone."""
    content = " ".join(told.fact.split())
    text = facts.text_of(source.event)
    found = align(text, told.quote)
    dangling = cues.VAGUE_REFERENCE.search(content) or cues.VAGUE_KOREAN.search(content) or _opens_with_pronoun(content)
    if found is None or found.ambiguous or dangling:
        return None
    digest = hashlib.sha256(f"{source.event.id}:{found.start}:{content}".encode()).hexdigest()[:16]
    claim, origin = claim_of(content), origin_of(source.event)
    kind = facts.limit_kind(told.kind, origin)
    return {
        "id": f"fact:{digest}",
        "kind": kind,
        "origin": origin,
        "content": content,
        "start": found.start,
        "end": found.end,
        "confidence": round(min(told.confidence, 0.9) * found.confidence, 3),
        "speaker": "agent" if source.event.type == "agent_response" else "user",
        "outcome": told.outcome,
        "intent": cues.INTENTS[kind],
        **facts.named_entities(content),
        "files": [],
    } | ({"claim": claim} if claim else {})


def _opens_with_pronoun(content: str) -> bool:
    return bool(cues.DANGLING_REFERENCE.match(content))


def _body(source: Source, made: list[dict[str, Any]], maker: dict[str, str]) -> dict[str, Any] | None:
    if not made:
        return None
    return {"source": source.node, "label": source.label, "project": source.event.project,
            "session": source.event.session, "facts": made, "maker": maker}  # fmt: skip
