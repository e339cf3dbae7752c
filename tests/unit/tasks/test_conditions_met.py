"""Conditions that tasks wait for meet the tasks that are created later: by hand, and by an agent with its tracker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.model.tasks import MatchResult
from graphmem.tasks.condition_matching import meet_conditions


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="shop") as opened:
        yield opened


def test_a_later_task_of_that_name_meets_the_condition_and_releases_what_waits(memory: Memory) -> None:
    memory.tasks.create("Migrate the session cache", blocked_by="the Redis upgrade")
    memory.tasks.create("Rotate the keys", blocked_by="the security sign-off")
    upgrade = memory.tasks.create("Redis upgrade")
    (met,) = [one for one in memory.tasks.conditions() if one.resolved]
    assert (met.text, met.resolved_to) == ("the Redis upgrade", upgrade.id) and met.confidence >= 0.92
    assert memory.tasks.show("Migrate the session cache").task.status == "blocked"
    for status in ("in_progress", "done"):
        memory.tasks.update(upgrade.id, status=status)
    ready = {task.title for task in memory.tasks.ready()}
    assert "Migrate the session cache" in ready and "Rotate the keys" not in ready


def test_an_agent_that_creates_the_task_in_its_tracker_meets_it(memory: Memory) -> None:
    memory.tasks.create("Migrate the session cache", blocked_by="the Redis upgrade")
    command = 'bd create --title="Redis upgrade" -p 1'
    call = {"tool": "Bash", "command": command, "input": {"command": command}, "failed": False, "exit_code": 0}
    printed = "✓ Created issue: shop-4\n  Title: Redis upgrade\n  Priority: P1"
    for _ in range(2):  # read again
        memory.observe(printed, role="tool", session="s", ref="t1", metadata=call)
        memory.process()
    (condition,) = memory.tasks.conditions()
    assert condition.resolved and memory.tasks.show(condition.resolved_to).task.title == "Redis upgrade"


def test_what_is_only_alike_does_not_meet_it(memory: Memory) -> None:
    memory.tasks.create("Migrate the session cache", blocked_by="the Redis upgrade")
    memory.tasks.create("Write the release notes of the shop")
    memory.tasks.create("Upgrade the build image")
    (condition,) = memory.tasks.conditions()
    assert not condition.resolved


def test_what_a_person_rejected_is_not_met_by_itself(memory: Memory) -> None:
    memory.tasks.create("Migrate the session cache", blocked_by="the Redis upgrade")
    first = memory.tasks.create("Redis upgrade")
    memory.tasks.resolve("the Redis upgrade", first.id, verdict="rejected")
    memory.tasks.create("Write the release notes")
    (condition,) = memory.tasks.conditions()
    assert not condition.resolved and condition.rejected == (first.id,)


def test_a_task_does_not_meet_its_own_condition(memory: Memory) -> None:
    memory.tasks.create("Redis upgrade in the east", blocked_by="Redis upgrade in the east approved")
    (condition,) = memory.tasks.conditions()
    assert not condition.resolved


def test_a_blocker_in_korean_meets_its_task(memory: Memory) -> None:
    memory.tasks.create("세션 캐시 이전", blocked_by="결제 서버 업그레이드")
    task = memory.tasks.create("결제 서버 업그레이드")
    (condition,) = memory.tasks.conditions()
    assert condition.resolved_to == task.id


def test_only_similar_conditions_are_matched_with_a_new_task(memory: Memory) -> None:
    for number in range(60):
        memory.tasks.create(f"Ship part {number}", blocked_by=f"the approval of supplier {number}")
    service = memory.tasks
    matched: list[str] = []
    ledger, match = service._ledger, service._lookup.find_matches

    def counted(text: str, exclude: tuple[str, ...]) -> MatchResult:
        matched.append(text)
        return match(text, exclude)

    swept = service.create("Sweep the floor")
    meet_conditions(ledger, counted, {swept.id})
    assert matched == []
    approved = service.create("Approval of supplier 7")
    assert {one.text for one in service.conditions() if one.resolved} == {"the approval of supplier 7"}
    meet_conditions(ledger, counted, {approved.id})
    assert 0 < len(matched) <= 10


def test_the_graph_says_of_a_task_what_the_board_says(memory: Memory) -> None:
    """Its status is in no event: a condition is fulfilled, that is taken back, a blocker is done and reopened."""

    def stated() -> dict[str, str]:
        memory.process()
        return dict(memory.cypher("MATCH (t:Task) RETURN t.title, t.status").rows)

    pump = memory.tasks.create("Order the pump", blocked_by="the vendor confirms it")
    memory.tasks.create("Repair the crane", blocked_by=pump.id)
    assert stated() == {"Order the pump": "blocked", "Repair the crane": "blocked"}
    memory.tasks.resolve("the vendor confirms it")
    assert stated() == {"Order the pump": "pending", "Repair the crane": "blocked"}
    memory.tasks.resolve("the vendor confirms it", verdict="rejected")
    assert stated() == {"Order the pump": "blocked", "Repair the crane": "blocked"}
    memory.tasks.resolve("the vendor confirms it")
    for status in ("in_progress", "done"):
        memory.tasks.update(pump.id, status=status)
    assert stated() == {"Order the pump": "done", "Repair the crane": "pending"}
    memory.tasks.reopen(pump.id)
    assert stated()["Repair the crane"] == "blocked"
    assert stated() == {task.title: task.status for task in memory.tasks.find()}
