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
The limit in region 1 is 100 requests. | The limit in region 2 is 200 requests.
The replica count is 3 on the 2nd server. | On the 4th server the replica count is 5.
Node 4's limit is 100 requests. | Node 1: the limit is 200 requests.
The limit is 100 requests on queue 3. | The limit is 200 requests on queue 4.
Shard A has a limit of 100 requests. | The limit is 200 requests in shard B.
In rack #3 the memory limit is 256 MB. | Rack #1's memory limit is 512 MB.
On server-2 the timeout is 10 seconds. | Server-4's timeout is 20 seconds.
The second server: the timeout is 10 seconds. | The fourth server: the timeout is 20 seconds.
1번 샤드의 한도는 100건이다. | 한도는 3번 샤드에서 200건이다.
한도는 A 노드에서 100건이다. | 한도는 D 노드에서 200건이다.
세 번째 클러스터의 한도는 100건이다. | 한도는 네 번째 클러스터에서 200건이다.
스테이징에서 보존 기간은 7일이다. | 보존 기간은 프로덕션에서 30일이다.
주문 서비스: 한도는 100건이다. | 결제 서비스: 한도는 200건이다.
회의실 3 은 월요일에 비어 있어. | 회의실 5 는 목요일에 비어 있어.
티어 1 의 할당량은 5GB 이다. | 티어 2 의 할당량은 9GB 이다.
버전 1.2 의 최소 메모리는 4GB 이다. | 버전 1.3 의 최소 메모리는 8GB 이다.
Version 1.2 needs 4 GB of memory. | Version 1.3 needs 8 GB of memory.
The rate limit of plan A is 100 requests. | The rate limit of plan B is 500 requests.
회의실 3 은 월요일에 비어 있어. | 회의실 5 는 월요일에 비어 있어.
서버 1 은 점검 중이야. | 서버 2 는 점검 중이야.
3층은 주말에 닫혀 있어. | 5층은 주말에 닫혀 있어.
2호기는 정지 상태야. | 3호기는 정지 상태야.
python 3.11 builds take 4 minutes. | python 3.12 builds take 6 minutes.
The owner of queue I is Anna. | The owner of queue II is Boris.
Unit I belongs to Anna. | Unit II belongs to Boris.
parallel statement number 3 zebra | parallel statement number 4 zebra
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
Rack C: the replica count is 3. | The replica count in rack C is 7.
The retention on the 3rd queue is 7 days. | The 3rd queue: the retention is 90 days.
On node #4 the port is 8081. | Node #4: the port is 9091.
1번 노드의 타임아웃은 10초이다. | 1번 노드: 타임아웃은 45초이다.
네 번째 클러스터: 보존 기간은 7일이다. | 네 번째 클러스터에서 보존 기간은 90일이다.
The primary runs on node 1. | The primary runs on node 2 now.
We are in sprint 12. | We are in sprint 13 now.
주 서버는 1번 노드에서 돈다. | 이제 주 서버는 2번 노드에서 돈다.
회의실은 3층이다. | 회의실은 이제 5층이다.
The app runs on version 1.2. | The app runs on version 1.3 now.
We build with python 3.11. | We build with python 3.12.
Python 3.11 builds take 4 minutes. | Python 3.11 builds take 6 minutes.
노드 2 가 주 노드다. | 노드 3 이 주 노드다.
회의실 3 은 월요일에 비어 있어. | 회의실 3 은 화요일에 비어 있어.
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
