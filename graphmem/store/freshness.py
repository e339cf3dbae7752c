"""Reports why search results may be incomplete: index rebuild in progress, index behind the log, vectors pending. Every
search checks this, so it must be cheap. `process` fixes the cause."""

from __future__ import annotations

from pathlib import Path

from graphmem.context import Log, Text
from graphmem.log.stages import describe, read_state
from graphmem.ports.text import DERIVED, EVENTS
from graphmem.ports.vectors import VectorIndex
from graphmem.projections.lineage import is_behind, load_watermark
from graphmem.projections.registry import STEPS

_REBUILT = {"index": "being rebuilt; answers are incomplete until it finishes"}
_BEHIND = {"index": "behind the log; answers are incomplete until `graphmem process` has run"}
_UNEMBEDDED = "{} found by full text only until `graphmem process` has run"


def index_lag(log: Log, text: Text, vectors: VectorIndex | None, few: int) -> dict[str, str]:
    """Return reasons by channel: "index" if items may be missing, so that no hit does not mean no answer; "vectors" if
    texts wait for vectors. The newest `few` texts are expected to wait."""
    if log.state.unfinished_operations():
        return dict(_REBUILT)
    return (dict(_BEHIND) if _behind(log, text.cursors()) else {}) | _unembedded(log, vectors, few)


def pending_init(store: Path) -> dict[str, str]:
    """Return what `init` has still to do, if it is at work: part "init" -> sentence."""
    state = read_state(str(store))
    if state is None or not state.is_pending or state.is_stalled:
        return {}
    return {"init": f"still at work ({describe(state)}); answers are incomplete until it finishes"}


def _behind(log: Log, reached: dict[str, int]) -> bool:
    if log.head() > reached.get(EVENTS, 0) or is_behind(log.state, reached):
        return True
    if log.state.last_derivation_number() <= reached.get(DERIVED, 0):
        return False
    return next(log.derivations(reached.get(DERIVED, 0), steps=STEPS), None) is not None


def _unembedded(log: Log, vectors: VectorIndex | None, few: int) -> dict[str, str]:
    waiting = vectors.waiting(few + 1) if vectors is not None else []
    if len(waiting) > few:
        return {"vectors": _UNEMBEDDED.format(f"more than {few} texts are")}
    if waiting:
        known, reached = log.get(waiting), load_watermark(log.state)
        if any(one not in known or known[one].position <= reached for one in waiting):
            return {"vectors": _UNEMBEDDED.format(f"{len(waiting)} text{'s are' if len(waiting) > 1 else ' is'}")}
    return {}
