"""A later statement comes before the earlier one whose place it takes, though the words of the earlier one match better."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem import Memory

DAY = datetime(2025, 3, 3, 9, tzinfo=UTC)
TOLD = (
    ("old", 0, "Errors are reported to Sentry."),
    ("other", 5, "Performance traces go to Tempo."),
    ("now", 40, "We stopped sending errors to Sentry; they go to our own GlitchTip."),
    ("hash", 41, "Passwords are hashed with bcrypt."),
    ("hash2", 80, "Passwords are hashed with Argon2id; old hashes are upgraded at the next login."),
    ("plan", 90, "Should passwords be hashed with scrypt?"),
)


def told(path: Path) -> Memory:
    memory = Memory.open(path / "store", project="p")
    for session, day, text in TOLD:
        memory.observe(text, role="user", session=session, at=DAY + timedelta(days=day))
    memory.process()
    return memory


def test_what_was_said_last_of_one_thing_comes_first(tmp_path: Path) -> None:
    with told(tmp_path) as memory:
        errors = memory.search("Where do errors get reported?").hits
        hashes = memory.search("How are passwords hashed?").hits
        before = memory.search("How were passwords hashed before Argon2id?").hits
        then = memory.search("How are passwords hashed?", as_of=(DAY + timedelta(days=60)).replace(tzinfo=None)).hits
        ahead = memory.search("How are passwords hashed?", as_of=datetime.now(UTC) + timedelta(hours=1)).hits
    assert (errors[0].session, hashes[0].session) == ("now", "hash2")
    assert before[0].session == "hash"
    assert (then[0].session, ahead[0].session) == ("hash", "hash2")
    assert errors[0].probability >= errors[1].probability
    assert {hit.status for hit in [*errors, *hashes, *before] if hit.session in ("old", "hash")} == {"superseded"}
    assert {hit.status for hit in [*errors, *hashes] if hit.session in ("now", "hash2", "other", "plan")} == {"active"}


def test_a_person_can_take_it_back(tmp_path: Path) -> None:
    with told(tmp_path) as memory:
        pairs = memory.cypher("MATCH (a:Fact)-[:SUPERSEDES]->(b:Fact) RETURN b.id, a.id, b.content").rows
        older, newer, _ = next(row for row in pairs if "bcrypt" in row[2])
        memory.supersede(older, newer, undo=True)
        hits = memory.search("How are passwords hashed?").hits
    assert {hit.status for hit in hits if hit.session == "hash"} == {"active"}


def test_numbered_things_do_not_answer_for_each_other(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="p") as memory:
        for number, why in ((12, "missing header"), (13, "a flaky test"), (14, "out of disk")):
            memory.observe(f"Build {number} failed: {why}.", session=str(number), at=DAY + timedelta(days=number))
        memory.observe("Calls time out after 30 seconds.", session="old", at=DAY)
        memory.observe("Calls time out after 45 seconds.", session="new", at=DAY + timedelta(days=9))
        memory.process()
        assert memory.search("why did build 12 fail?").hits[0].session == "12"
        assert memory.search("when do calls time out?").hits[0].session == "new"
        assert not memory.cypher(
            "MATCH (f:Fact) WHERE f.status = 'superseded' AND contains(f.content, 'Build') RETURN f.id"
        ).rows
