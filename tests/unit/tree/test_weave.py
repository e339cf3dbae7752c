"""Links of the tree: however many memories there are, those that share most, the first among equals."""

from __future__ import annotations

import math
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from graphmem.tree.linking import TagIndex


@given(st.lists(st.sets(st.sampled_from("abcdefghij"), min_size=1, max_size=3), max_size=60), st.randoms())
def test_links_are_those_that_a_look_at_all_memories_finds(tagged: list[set[str]], chance: object) -> None:
    loom, carriers = TagIndex(), defaultdict(list)
    names = [f"mem_{number:03}" for number in range(len(tagged))]
    chance.shuffle(names)  # type: ignore[attr-defined]
    for name, tags in zip(names, map(sorted, tagged), strict=True):
        weights, most = defaultdict(float), 0.0
        for tag in tags:
            weight = math.log(1 + (loom.total + 1) / (len(carriers[tag]) + 1))
            most += weight
            for other in [] if loom.total >= 20 and len(carriers[tag]) > 0.2 * loom.total else carriers[tag]:
                weights[other] += weight
        best = sorted(weights.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))[:5]
        assert loom._links(tags) == tuple((other, round(weight / most, 4)) for other, weight in best)
        loom.note(name, tags)
        for tag in tags:
            carriers[tag].append(name)
