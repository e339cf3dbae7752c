"""`graphmem bench soak`: mixed work against one owner, whose memory is sampled; half an hour of it stays flat (deep)."""

from __future__ import annotations

import pytest

from graphmem.bench import soak


def test_growth_compares_the_end_with_the_time_after_warming_up() -> None:
    flat = [(float(at), 100.0 if at < 3 else 300.0) for at in range(12)]
    assert soak.growth(flat) == 1.0
    assert soak.growth([(at, size + 20.0 * at) for at, size in flat]) > 1.2
    assert soak.growth([(0.0, 5.0)]) == 1.0


@pytest.mark.deep
@pytest.mark.timeout(2_400)
def test_half_an_hour_of_mixed_work_stays_flat() -> None:
    found = soak.run(1_800.0)
    assert found["cycles"] > 100 and not found["failed_hooks"]
    assert found["growth"] < 1.1, found["curve"]
