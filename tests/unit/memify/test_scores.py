"""Importance and decay are pure, bounded functions of use and whole days; levels need use and evidence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.memify import scores
from graphmem.memify.graduate import GATES, Merit, evidence_confidence, level_of, stage_of
from graphmem.memify.usage import Use

DAYS = st.integers(0, 20_000)
COUNT = st.integers(0, 10_000)


def at(policy: scores.Policy, days: float) -> float:
    return float(scores.retention_score(policy, np.array([days]))[0])


@given(DAYS, COUNT, COUNT, COUNT, COUNT)
def test_importance_stays_within_bounds(days: int, uses: int, cited: int, useful: int, wrong: int) -> None:
    given = [np.array([one], float) for one in (days, uses, cited, useful, wrong)]
    judged = scores.feedback_score(given[3], given[4], given[2], given[1])
    assert 0.0 < judged[0] < 1.0
    assert 0.0 <= scores.importance_score(*given[:3], judged)[0] <= 1.0


def test_feedback_counts_what_was_opened_and_slowly_what_was_left_alone() -> None:
    def judged(useful: int, wrong: int, chosen: int, shown: int) -> float:
        return float(scores.feedback_score(*(np.array([one], float) for one in (useful, wrong, chosen, shown)))[0])

    assert judged(0, 0, 0, 0) == 0.5
    assert judged(0, 0, 1, 1) == judged(1, 0, 0, 0) > 0.6
    assert judged(0, 1, 0, 0) < judged(0, 0, 0, 5) < 0.5


@given(st.sampled_from([scores.EPISODIC, scores.KNOWLEDGE, scores.STATE]), DAYS, DAYS)
def test_retention_is_bounded_and_only_falls(policy: scores.Policy, a: int, b: int) -> None:
    early, late = at(policy, min(a, b)), at(policy, max(a, b))
    assert 0.0 <= late <= early <= 1.0


@pytest.mark.parametrize("policy", [scores.EPISODIC, scores.KNOWLEDGE, scores.STATE])
def test_half_is_left_at_the_half_life(policy: scores.Policy) -> None:
    assert at(policy, 0) == 1.0
    assert at(policy, policy.half_life) == pytest.approx(0.5)


def test_a_turn_dies_after_a_hundred_days_not_after_a_fortnight() -> None:
    assert at(scores.EPISODIC, 14) > 0.7
    assert at(scores.EPISODIC, 99) > scores.EPISODIC.floor > at(scores.EPISODIC, 100)


@pytest.mark.parametrize(
    ("days", "left"), [(0, 1.0), (30, 0.8), (31, 0.795), (60, 0.65), (90, 0.5), (180, 0.0), (900, 0.0)]
)
def test_recency_is_piecewise_linear(days: int, left: float) -> None:
    assert float(scores.recency_score(np.array([days]))[0]) == pytest.approx(left)


@given(st.builds(Merit, COUNT, st.floats(0, 1), COUNT, st.integers(0, 4), st.just(0)), DAYS, DAYS)
def test_levels_need_every_gate_and_only_sink_with_age(merit: Merit, a: int, b: int) -> None:
    young, old = level_of(merit, min(a, b)), level_of(merit, max(a, b))
    assert 0 <= old <= young <= 4
    if young > 1:
        gate = GATES[young - 1]
        assert merit.uses >= gate.uses and merit.confidence >= gate.confidence
        assert merit.sessions >= gate.sessions and merit.stage >= young


def test_each_gate_alone_holds_a_memory_back() -> None:
    best = Merit(10, 0.92, 3, 4, 0)
    assert level_of(best, 0) == 4
    assert level_of(best._replace(uses=9), 0) == 3
    assert level_of(best._replace(confidence=0.91), 0) == 3
    assert level_of(best._replace(sessions=2), 0) == 3
    assert level_of(best._replace(stage=2), 0) == 2
    assert (
        level_of(best, 180) == 4
        and level_of(best, 181) == 3
        and level_of(best, 181 + 90) == 2
        and level_of(best, 5_000) == 1
    )


def test_doubt_halves_with_each_confirmation_and_wrong_halves_trust() -> None:
    assert evidence_confidence(0.6, Use(), 1) == pytest.approx(0.6)
    assert evidence_confidence(0.6, Use(useful=1), 1) == pytest.approx(0.8)
    assert evidence_confidence(0.6, Use(chosen=4), 2) == pytest.approx(0.9)
    assert evidence_confidence(0.8, Use(wrong=1), 1) == pytest.approx(0.4)


def test_evidence_decides_the_stage() -> None:
    good = {"supported": True, "contested": False, "shown": True}
    text = "The parser reads no files."
    assert stage_of("rule", text, 0.9, **good) == 4
    assert stage_of("rule", text, 0.9, **good | {"shown": False}) == 3
    assert stage_of("rule", text, 0.9, **good | {"contested": True}) == 2
    assert stage_of("rule", text, 0.9, **good | {"supported": False}) == 2
    assert stage_of("", "short", 0.9, **good) == 1
