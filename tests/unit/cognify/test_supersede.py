"""Facts that replace or contradict each other: only within one subject and predicate, with both times, reason and undo."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem import Memory
from graphmem.cognify.alike import can_mean_same
from graphmem.cognify.claims import Claim, claim_of
from graphmem.cognify.supersede import Claimed, fact_statuses, supersession_verdicts
from graphmem.errors import NotFound, UsageError

START = datetime(2026, 3, 9, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("The port of the gateway is 8080.", ("gateway", "port", "8080", True, "", False)),
        ("The gateway's port is now 9090 because nginx took it", ("gateway", "port", "9090", True, "", True)),
        ("Raised the timeout of the gateway from 30 s to 60 s", ("gateway", "timeout", "60 s", True, "30 s", True)),
        ("The cache TTL is 60 s in staging", ("cache", "ttl in staging", "60 s", True, "", False)),
        ("The package manager is not npm", ("", "package manager", "npm", False, "", False)),
        ("The user moved to Paris in May 2026.", ("user", "location", "paris", True, "", True)),
        ("The parser no longer supports YAML anchors.", ("parser", "supports yaml anchors", "", False, "", True)),
        ("The team switched from npm to pnpm.", ("", "choice: npm | pnpm", "pnpm", True, "npm", True)),
        ("게이트웨이의 포트는 8080입니다.", ("게이트웨이", "포트", "8080", True, "", False)),
        (
            "어제 (2026-03-08) 게이트웨이의 포트를 8080에서 9090으로 변경했습니다.",
            ("게이트웨이", "포트", "9090", True, "8080", True),
        ),
        ("게이트웨이의 포트를 8080에서 9090으로 변경했습니다.", ("게이트웨이", "포트", "9090", True, "8080", True)),
    ],
)
def test_a_claim_has_subject_predicate_and_one_value(sentence: str, claim: tuple[Any, ...]) -> None:
    assert claim_of(sentence) == Claim(*claim)


@pytest.mark.parametrize(
    "sentence",
    [
        "The gateway uses Redis and Postgres.",
        "The parser is a module of the compiler.",
        "`session_record` is always a struct",
        "The build fails because `left-pad` is missing.",
        "The port was 8080.",
        "The port is 8080.",
    ],
)
def test_what_may_have_several_values_or_no_clear_subject_claims_nothing(sentence: str) -> None:
    assert claim_of(sentence) is None


def facts(memory: Memory) -> dict[str, tuple[str, Any, Any]]:
    rows = memory.cypher("MATCH (f:Fact) RETURN f.content, f.status, f.valid_to, f.retired_at").rows
    return {content: (status, valid_to, retired) for content, status, valid_to, retired in rows}


def test_a_later_value_replaces_the_earlier_and_both_can_be_read(memory: Memory) -> None:
    old = memory.remember("The port of the gateway is 8080.", at=START)
    memory.remember("The port of the admin page is 7070.", at=START)
    new = memory.remember("The port of the gateway is 9090.", at=START + 3 * DAY)
    memory.process()
    found = facts(memory)
    assert found["The port of the gateway is 8080."][:2] == ("superseded", START + 3 * DAY)
    assert found["The port of the gateway is 8080."][2] is not None
    assert found["The port of the gateway is 9090."] == ("active", None, None)
    assert found["The port of the admin page is 7070."] == ("active", None, None)
    edges = memory.cypher("MATCH (n:Fact)-[r:SUPERSEDES]->(o:Fact) RETURN n.id, o.id, r.reason").rows
    assert edges == [[new, old, "port of `gateway`: 8080 -> 9090"]]

    def told(**more: Any) -> set[str]:
        return {hit.id for hit in memory.search("port of the gateway", kinds=["fact"], **more).hits} & {old, new}

    assert told() == {new}
    assert told(as_of=START + DAY) == {old}
    assert told(as_of=START + 4 * DAY) == {new}
    held = memory.query("facts_as_of", {"at": "2026-03-10"}).rows
    assert {row[0] for row in held} == {"The port of the gateway is 8080.", "The port of the admin page is 7070."}


def test_a_verdict_is_taken_back_and_given_by_hand_and_survives_a_rebuild(memory: Memory) -> None:
    old = memory.remember("The package manager is npm", at=START)
    new = memory.remember("The package manager is pnpm", at=START + DAY)
    memory.supersede(old, new, undo=True)
    assert {state for state, *_ in facts(memory).values()} == {"active"}
    assert {hit.id for hit in memory.search("package manager", kinds=["fact"]).hits} == {old, new}
    assert memory.cypher("MATCH (:Fact)-[r:SUPERSEDES]->(:Fact) RETURN r").rows == []
    other = memory.remember("Nobody shall use yarn here any longer", at=START + 2 * DAY)
    memory.supersede(new, other)
    before = facts(memory)
    assert before["The package manager is pnpm"][0] == "superseded"
    memory.rebuild()
    assert facts(memory) == before
    assert {hit.id for hit in memory.search("package manager", kinds=["fact"]).hits} >= {old}
    with pytest.raises(NotFound):
        memory.supersede(old, "no such fact")
    with pytest.raises(UsageError):
        memory.supersede(old, old)


def test_an_agent_against_a_person_is_contested_until_one_is_confirmed(memory: Memory) -> None:
    said = {
        "session": "a",
        "role": "user",
        "content": "The default branch is main, we never use another one.",
        "at": START,
    }
    memory.observe_many([said])
    memory.remember("The database of the shop is Postgres", at=START)
    answer = "The database of the shop is SQLite."
    memory.observe_many([{"session": "b", "role": "assistant", "content": answer, "at": START + DAY}])
    memory.process()
    found = facts(memory)
    assert found["The database of the shop is Postgres"][0] == "contested"
    assert found["The database of the shop is SQLite."][0] == "contested"
    assert len(memory.query("facts_contested").rows) == 1
    result = memory.search("database of the shop", kinds=["fact"])
    assert {hit.status for hit in result.hits if "shop" in hit.content} == {
        "contested"
    } and "(contested" in result.context
    ids = {str(content): str(id) for content, id in memory.cypher("MATCH (f:Fact) RETURN f.content, f.id").rows}
    pair = [ids["The database of the shop is Postgres"], ids["The database of the shop is SQLite."]]
    for old, new in (pair, pair[::-1]):
        memory.supersede(old, new)
        assert not memory.query("facts_contested").rows
        memory.supersede(old, new, undo=True)  # which leaves the contradiction open, and decides nothing
        assert facts(memory) == found and len(memory.query("facts_contested").rows) == 1
    memory.rebuild()
    assert facts(memory) == found
    memory.supersede(*pair, undo=True)
    assert not memory.query("facts_contested").rows
    memory.remember("The database of the shop is now MariaDB", at=START + 2 * DAY)
    memory.process()
    assert sorted(state for state, *_ in facts(memory).values() if state != "active") == ["superseded", "superseded"]


def test_forgetting_the_newer_fact_brings_the_older_back(memory: Memory) -> None:
    memory.remember("The port of the gateway is 8080.", at=START)
    new = memory.remember("The port of the gateway is 9090.", at=START + DAY)
    memory.process()
    memory.forget(new)
    assert facts(memory) == {"The port of the gateway is 8080.": ("active", None, None)}
    assert len(memory.search("port of the gateway", kinds=["fact"]).hits) == 1


claims = st.builds(
    Claimed, st.text("abc", min_size=1, max_size=3), st.just("p"), st.sampled_from("st"),
    st.builds(Claim, st.sampled_from(["x", "y"]), st.sampled_from(["port", "owner"]), st.sampled_from("12"), st.booleans()),
    st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.sampled_from([1, 2]),
)  # fmt: skip


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(claims, max_size=8, unique_by=lambda c: c.fact), st.randoms())
def test_verdicts_compare_one_subject_and_predicate_in_any_order(given_: list[Claimed], random: Any) -> None:
    found = supersession_verdicts(given_, {})
    for verdict in found:
        new, old = verdict.newer, verdict.older
        assert new.claim.subject == old.claim.subject
        assert new.claim.predicate == old.claim.predicate or new.claim.former  # "from F to V" ends what had F
        assert new.valid >= old.valid
    shuffled = list(given_)
    random.shuffle(shuffled)
    assert supersession_verdicts(shuffled, {}) == found
    assert {state.status for _, state in fact_statuses(found)} <= {"superseded", "contested"}
    undone = {(v.newer.fact, v.older.fact): False for v in found}
    assert not {(v.newer.fact, v.older.fact) for v in supersession_verdicts(given_, undone)} & undone.keys()


TWINS = [
    "The cache of the resolver must be cleared before every build.",
    "Before every build the cache of the resolver must be cleared.",
    "The cache of the resolver must never be cleared before every build.",
    "The cache of the parser2 must be cleared before every build.",
]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (TWINS[0], TWINS[1], True),
        ("The client calls the server.", "The server calls the client.", False),
        ("Use npm instead of pnpm in the shop.", "Use pnpm instead of npm in the shop.", False),
        ("The port is 8080.", "The port is 8081.", False),
        ("The cache is enabled in tests.", "The cache is disabled in tests.", False),
        ("`a.py` must load before `b.py`.", "`a.py` must load after `b.py`.", False),
    ],
)
def test_the_same_in_other_words(one: str, other: str, same: bool) -> None:
    assert can_mean_same(one, other) is same


def test_twins_in_other_words_merge_across_sessions_and_near_misses_do_not(memory: Memory) -> None:
    turns = [{"session": f"s{n}", "role": "assistant", "content": text, "at": START + n * DAY, "ref": f"r{n}"}
             for n, text in enumerate(TWINS)]  # fmt: skip
    memory.observe_many(turns)
    memory.process()
    assert set(facts(memory)) == {TWINS[0], *TWINS[2:]}
    cited = memory.cypher("MATCH (t:Turn)-[:EVIDENCE_OF]->(f:Fact) RETURN f.content, t.ref ORDER BY t.ref").rows
    assert cited[:2] == [[TWINS[0], "r0"], [TWINS[0], "r1"]]
    before = memory.history(limit=9)
    assert memory.process().derived == 0 and memory.history(limit=9) == before
    memory.rebuild()
    assert set(facts(memory)) == {TWINS[0], *TWINS[2:]}
    memory.forget("r0")
    assert set(facts(memory)) == {TWINS[1], *TWINS[2:]}
