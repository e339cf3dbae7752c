"""Which merged events are foreign: decisions of `log_merged` events, the newest first."""

import pytest

from graphmem.backends.log.merges import MergeTrust


def _merged(sequence, *, trusted=(), foreign=()):
    return sequence, {"trusted": [list(one) for one in trusted], "foreign": [list(one) for one in foreign]}


@pytest.mark.parametrize(
    ("records", "origin", "sequence", "foreign"),
    [
        ([], "own", 1, False),
        ([], "laptop", 1, True),  # unknown origins are foreign
        ([_merged(5, trusted=[("laptop", 1, 3)])], "laptop", 3, False),
        ([_merged(5, trusted=[("laptop", 1, 3)])], "laptop", 4, True),  # only the range is trusted
        ([_merged(5, foreign=[("laptop", 1, 3)]), _merged(6, trusted=[("laptop", 1, 3)])], "laptop", 2, False),
        ([_merged(5, trusted=[("laptop", 1, 3)]), _merged(6, foreign=[("laptop", 2, 2)])], "laptop", 2, True),
        ([_merged(5, trusted=[("laptop", 1, 3)]), _merged(6, foreign=[("laptop", 2, 2)])], "laptop", 3, False),
        # An export continued the chain of this log: those events are foreign, and their decisions do not count.
        ([_merged(9, foreign=[("own", 4, 6)])], "own", 5, True),
        ([_merged(5, trusted=[("laptop", 1, 3)]), _merged(9, foreign=[("own", 4, 6)])], "laptop", 1, True),
        ([_merged(3, trusted=[("laptop", 1, 3)]), _merged(9, foreign=[("own", 4, 6)])], "laptop", 1, False),
        # Regular merges join to one range.
        ([_merged(n, trusted=[("laptop", n, n)]) for n in range(1, 5)], "laptop", 1, False),
        ([_merged(n, trusted=[("laptop", n, n)]) for n in range(1, 5)], "laptop", 5, True),
        # Malformed payloads decide nothing.
        ([(5, "text")], "laptop", 1, True),
        ([(5, {"trusted": "laptop"})], "laptop", 1, True),
        ([(5, {"trusted": [["laptop", 1], ["laptop", "1", 3], ["laptop", True, 3], 7]})], "laptop", 1, True),
    ],
)
def test_the_newest_decision_about_an_event_counts(records, origin, sequence, foreign):
    assert MergeTrust("own", records).is_foreign(origin, sequence) is foreign
