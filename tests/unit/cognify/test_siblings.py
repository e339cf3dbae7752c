"""What is said of one thing leaves its siblings as they are, and replaces what was said of the thing itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory

SIBLINGS = """
In region 1 the limit is 100 requests. | In region 2 the limit is 200 requests.
Server A: the port is 80. | Server B: the port is 81.
Shard 1: the primary of the cluster is db-11. | Shard 2: the primary of the cluster is db-12.
Experiment 12: the accuracy of the model is 0.81. | Experiment 13: the accuracy of the model is 0.84.
On node 1 the port is 8081. | On node 2 the port is 8082.
Alpha: the timeout is 10 seconds. | Beta: the timeout is 20 seconds.
Customer 6: the quota of the account is 60 GB. | Customer 7: the quota of the account is 70 GB.
1번 서버: 포트는 8081이다. | 2번 서버: 포트는 8082이다.
1번 구역에서 한도는 100이다. | 2번 구역에서 한도는 200이다.
At warehouse 3 the limit is 40 pallets. | At warehouse 4 the limit is 60 pallets.
For tenant B the retention is 30 days. | For tenant C the retention is 90 days.
Cluster A: the replica count is 3. | Cluster B: the replica count is 5.
In rack 7, the timeout is 5 seconds. | In rack 8, the timeout is 9 seconds.
Juniper: the deadline is Monday. | Willow: the deadline is Friday.
Printer 2: the resolution is 300 dpi. | Printer 3: the resolution is 600 dpi.
3번 창고: 온도는 4도이다. | 4번 창고: 온도는 8도이다.
지점 1: 한도는 100이다. | 지점 2: 한도는 300이다.
""".strip().splitlines()
SAME = """
In region 1 the limit is 100 requests. | In region 1 the limit is 150 requests now.
Server A: the port is 80. | Server A: the port is 90 now.
On node 1 the port is 8081. | On node 1 the port is 9091 now.
At warehouse 3 the limit is 40 pallets. | At warehouse 3 the limit is 50 pallets now.
For tenant B the retention is 30 days. | For tenant B the retention is 60 days now.
Cluster A: the replica count is 3. | Cluster A: the replica count is 4 now.
Alpha: the timeout is 10 seconds. | Alpha: the timeout is 30 seconds now.
1번 구역에서 한도는 100이다. | 이제 1번 구역에서 한도는 150이다.
Decision: the timeout is 10 seconds. | Update: the timeout is 20 seconds.
""".strip().splitlines()


def superseded(store: Path, pair: str) -> bool:
    """Return whether the first of a pair no longer holds once the second was said."""
    with Memory.open(store, project="siblings") as memory:
        for text in pair.split(" | "):
            memory.remember(text)
        memory.process()
        return bool(memory.cypher("MATCH (f:Fact) WHERE f.status = 'superseded' RETURN f.content").to_dicts())


@pytest.mark.parametrize("pair", SIBLINGS)
def test_a_sibling_is_left_as_it_is(tmp_path: Path, pair: str) -> None:
    assert not superseded(tmp_path / "store", pair)


@pytest.mark.parametrize("pair", SAME)
def test_the_same_thing_is_replaced(tmp_path: Path, pair: str) -> None:
    assert superseded(tmp_path / "store", pair)
