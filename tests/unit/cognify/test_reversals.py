"""Scenarios in which somebody goes back on what was said: in a later session, in the same breath, by ending it, with a new value,
or where an agent only echoes it. Told to a real store, each scenario in a project of its own and each statement of a user in
a session of its own. Sentences that look like a change and are none supersede nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.cognify.selfcontained import NOWHERE, Speaker, make_self_contained
from graphmem.cognify.statements import Statement

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FOLDER = Path(__file__).parents[3] / "fixtures" / "changes"
LEAST = {"reversed": 0.9, "selfcorrected": 1.0, "dropped": 0.85, "valued": 1.0, "echoed": 1.0, "completed": 1.0,
         "restated": 1.0, "recalled": 1.0}  # fmt: skip
Facts = list[tuple[str, str]]  # content, status


def lines(file: str) -> list[list[str]]:
    told = (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split(" | ")] for line in told if line and not line.startswith("#")]


def tell(folder: Path, project: str, parts: list[str]) -> None:
    day = 0
    with Memory.open(folder, project=project) as memory:
        for minute, part in enumerate(parts):
            who, _, text = part.partition(": ")
            if who in ("user", "agent", "again"):
                day += who == "user"
                role, at = "assistant" if who == "agent" else "user", START + timedelta(days=day, minutes=minute)
                memory.observe(text, role=role, session=f"{project}-{day}", at=at)


def play(folder: Path, scenarios: list[list[str]]) -> list[Facts]:
    for number, parts in enumerate(scenarios):
        tell(folder, f"p{number}", parts[1:])
    with Memory.open(folder) as memory:
        memory.process()
        rows = memory.cypher("MATCH (f:Fact) RETURN f.project, f.content, f.status", limit=10_000).rows
    return [[(content, status) for of, content, status in rows if of == f"p{n}"] for n in range(len(scenarios))]


def missed(parts: list[str], facts: Facts) -> list[str]:
    """Return what a scenario demands and the facts do not show."""

    def count(wanted: str, *, active: bool) -> int:
        return sum((state != "superseded") == active and bool(re.search(wanted, text, re.I)) for text, state in facts)

    wanted = [(part[0], part[2:]) for part in parts if part[:2] in ("x ", "0 ", "1 ")]
    fulfilled = {
        "x": lambda words: count(words, active=False) > 0,
        "0": lambda words: count(words, active=True) == 0,
        "1": lambda words: count(words, active=True) == 1,
    }
    return [f"{mark} {words}" for mark, words in wanted if not fulfilled[mark](words)]


@pytest.fixture(scope="module")
def reversals(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[str], Facts]]:
    told = lines("reversals")
    return list(zip(told, play(tmp_path_factory.mktemp("reversals") / "store", told), strict=True))


@pytest.mark.parametrize("kind", LEAST)
def test_what_somebody_goes_back_on_no_longer_holds(kind: str, reversals: list[tuple[list[str], Facts]]) -> None:
    mine = [(parts, facts) for parts, facts in reversals if parts[0].split()[0] == kind]
    wrong = [(parts, facts, found) for parts, facts in mine if (found := missed(parts, facts))]
    assert len(wrong) <= (1 - LEAST[kind]) * len(mine) + 1e-9, wrong


def test_what_only_looks_like_a_change_supersedes_nothing(tmp_path: Path) -> None:
    told = lines("unchanged")
    played = play(tmp_path / "store", told)
    assert [(p, f) for p, f in zip(told, played, strict=True) if any(state == "superseded" for _, state in f)] == []


def test_an_echo_is_evidence_of_what_was_echoed(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="den") as memory:
        memory.observe("The cache TTL is 45 minutes.", role="user", session="a", at=START)
        memory.observe(
            "Understood, the cache TTL is 45 minutes.", role="assistant", session="a", at=START + timedelta(minutes=1)
        )
        memory.process()
        rows = memory.cypher("MATCH (t:Turn)-[:EVIDENCE_OF]->(f:Fact) RETURN f.content, t.role ORDER BY t.role").rows
    assert rows == [["The cache TTL is 45 minutes.", "assistant"], ["The cache TTL is 45 minutes.", "user"]]


@pytest.mark.parametrize("said", [("Let's make the page size 50.", "Hold on, make that 25 instead of 50."),
                                  ("백업은 매일 04:00에 실행된다.", "미안 05:00")])  # fmt: skip
def test_a_correction_ends_what_was_processed_before_it(tmp_path: Path, said: tuple[str, str]) -> None:
    with Memory.open(tmp_path / "store", project="den") as memory:
        for number, text in enumerate(said):
            memory.observe(text, role="user", session="a", at=START + timedelta(minutes=number))
            memory.process()
        status = {hit.content: hit.status for hit in memory.search(said[0]).hits if hit.kind == "turn"}
    assert status[said[0]] == "superseded"


def test_a_rule_that_half_a_sentence_corrects_stays_a_rule(tmp_path: Path) -> None:
    tell(tmp_path / "store", "den", ["user: Never deploy after 16:00.", "agent: Ok.", "again: sorry, I meant 15:00"])
    with Memory.open(tmp_path / "store", project="den") as memory:
        memory.process()
        rows = memory.cypher("MATCH (f:Fact) RETURN f.kind, f.status, f.content ORDER BY f.status").rows
    assert [row[:2] for row in rows] == [["rule", "active"], ["rule", "superseded"]]
    assert rows[0][2] == "Never deploy after 15:00."


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("We no longer support the WPL format.", "The team no longer supports the WPL format."),
        ("We build with uv and deploy with Ansible.", "The team builds with uv and deploys with Ansible."),
        ("We always carry the seed and never push to main.", "The team always carries the seed and never pushes to main."),
        ("We use pytest and the team of Dana uses nose.", "The team uses pytest and the team of Dana uses nose."),
        ("I prefer tabs and use Vim for commits.", "The user prefers tabs and uses Vim for commits."),
        ("On second thought, let's use Postgres for sessions.", "On second thought, the team decided to use Postgres for sessions."),
    ],
)  # fmt: skip
def test_a_verb_agrees_with_the_subject_that_takes_the_place_of_we(said: str, kept: str) -> None:
    statement = Statement(0, len(said), said, "property")
    standing = make_self_contained(statement, NOWHERE, Speaker("user", 0))
    assert standing is not None and standing.content == kept


def test_a_word_behind_an_addressed_object_is_no_verb() -> None:
    said = "Never use goods that do not belong to you as a courier, whatever you pass."
    standing = make_self_contained(Statement(0, len(said), said, "rule"), NOWHERE, Speaker("user", 0))
    assert standing and standing.content == (
        "Never use goods that do not belong to the agent as a courier, whatever the agent passes."
    )


def test_a_correction_of_an_earlier_session_is_undone_where_it_turns_out_unclear(tmp_path: Path) -> None:
    def contents(memory: Memory) -> list[list[str]]:
        memory.process()
        return memory.cypher("MATCH (f:Fact) RETURN f.content, f.status ORDER BY f.content").rows

    with Memory.open(tmp_path / "store", project="den") as memory:
        memory.observe("wait, not 30 minutes but 45 minutes", role="user", session="b", at=START + timedelta(days=2))
        memory.observe("The build timeout is 30 minutes.", role="user", session="a", at=START)
        assert contents(memory) == [
            ["The build timeout is 30 minutes.", "superseded"],
            ["The build timeout is 45 minutes.", "active"],
        ]
        memory.observe("The idle timeout is 30 minutes.", role="user", session="c", at=START + timedelta(days=1))
        assert contents(memory) == [
            ["The build timeout is 30 minutes.", "active"],
            ["The idle timeout is 30 minutes.", "active"],
        ]
