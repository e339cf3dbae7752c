"""Promotion levels: L0 raw, L1 structured, L2 candidate, L3 verified, L4 active. Use and evidence must both allow a
level; unused memories drop one level per half-life. A pure function of the log; the ledger of promotions is only a
history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphmem.model.events import Draft
from graphmem.model.kinds import names_where
from graphmem.ports.entries import CONTESTED, HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext
    from graphmem.memify.usage import Use

POLICY = 1  # version of the thresholds, recorded with each move
HALF_LIFE = 90  # days: beyond the maximum age of its level, a memory drops one level per period
STAGES = ("raw", "working", "candidate", "verified", "certified")
_STRUCTURED = names_where(has_stage=True)
_CONTENT = range(10, 20_001)  # characters of a statement that can be a candidate
_BATCH = 1_000
_LEDGER = 500  # moves recorded in one event


class Gate(NamedTuple):
    """Usage required for a level. `age` is the maximum number of days since the last use."""

    uses: int
    confidence: float
    sessions: int
    age: int


GATES = (Gate(1, 0.5, 0, 30), Gate(3, 0.7, 1, 60), Gate(5, 0.85, 2, 90), Gate(10, 0.92, 3, 180))


class Merit(NamedTuple):
    """The input of a promotion."""

    uses: int
    confidence: float
    sessions: int
    stage: int
    last: int


def evidence_confidence(told: float, use: Use, said: int) -> float:
    """Return the current confidence of a memory: each `useful`, each session that repeated it, and every four openings
    halve the doubt; each `wrong` halves the confidence."""
    confirmed = use.useful + use.chosen / 4 + max(0, said - 1)
    sure: float = (1 - (1 - told) * 0.5**confirmed) * 0.5**use.wrong
    return sure


def stage_of(kind: str, content: str, told: float, *, supported: bool, contested: bool, shown: bool) -> int:
    """Return how far the evidence goes: structured, of valid form, supported without conflict, found by search."""
    if not (kind and len(content or "") in _CONTENT and 0 <= told <= 1):
        return 1
    if not supported or contested:
        return 2
    return 4 if shown else 3


def level_of(merit: Merit, days: int) -> int:
    """Return the level after so many days since the last use, at least 1 for structured memories."""
    reached = 0
    for gate in GATES:
        if merit.uses < gate.uses or merit.confidence < gate.confidence or merit.sessions < gate.sessions:
            break
        reached += 1
    reached = min(reached, merit.stage)
    over = days - GATES[max(reached, 1) - 1].age
    sunk = 0 if over <= 0 else 1 + over // HALF_LIFE
    return max(min(1, merit.stage), reached - sunk)


def update_levels(context: RunContext) -> None:
    """Set level and stage of every structured memory, and record moves."""
    entries, rows = context.entries, context.entries.rows
    structured = entries.of(*_STRUCTURED) & context.here
    levels = structured.astype(np.uint8)
    stages = structured.astype(np.uint8)
    merits = _merits(context, [place for place in context.used if structured[place]])
    for place, merit in merits.items():
        days = int(max(0, context.run.day - merit.last // 86_400_000_000))
        levels[place], stages[place] = level_of(merit, days), merit.stage
    if context.deciding:
        _note(context, levels, merits)
    context.priors.level[rows], context.priors.stage[rows] = levels, stages
    for number in range(5):
        context.counts[f"L{number}"] = int((levels[context.here] == number).sum())


def _merits(context: RunContext, places: list[int]) -> dict[int, Merit]:
    found: dict[int, Merit] = {}
    flags, rows = context.priors.flags, context.entries.rows
    at = {context.entries.ids[place]: place for place in places}
    for start in range(0, len(places), _BATCH):
        for item, kind, content, told, sources, explicit in context.query(
            "merits", ids=context.ids(places[start : start + _BATCH])
        ):
            place = at[item]
            use = context.used[place]
            flag = int(flags[rows[place]])
            sure = evidence_confidence(1.0 if told is None else told, use, context.duplicates.said.get(item, 1))
            stage = stage_of(
                kind, content, sure, supported=bool(sources or explicit), contested=bool(flag & CONTESTED),
                shown=not flag & HIDDEN,
            )  # fmt: skip
            found[place] = Merit(use.shown, sure, len(use.sessions), stage, use.last)
    return found


def _note(context: RunContext, levels: np.ndarray, merits: dict[int, Merit]) -> None:
    """Append moves to the ledger. What moved less than an hour ago keeps its level, unless the run is forced."""
    before = context.before.level[context.entries.rows]
    judged = context.before.importance[context.entries.rows] > 0
    base = np.where(judged, before, np.minimum(levels, 1))
    moved = np.flatnonzero((levels != base) & context.here)
    moves: list[dict[str, Any]] = []
    for place in moved.tolist():
        merit = merits.get(place)
        why = {"uses": merit.uses, "confidence": round(merit.confidence, 4), "sessions": merit.sessions,
               "stage": STAGES[merit.stage]} if merit else {}  # fmt: skip
        moves.append({"item": context.entries.ids[place], "from": int(base[place]), "to": int(levels[place]), **why})
    now = context.store.clock.now()
    drafts = [
        Draft("graduated", {"run": context.run.id, "policy": POLICY, "moves": moves[i : i + _LEDGER]}, now, "",
              context.store.project, "system", f"graduated:{context.run.id}:{i}")
        for i in range(0, len(moves), _LEDGER)
    ]  # fmt: skip
    if drafts:
        context.store.recorder.record(drafts)
    context.counts["promoted"] = sum(move["to"] > move["from"] for move in moves)
    context.counts["demoted"] = sum(move["to"] < move["from"] for move in moves)
