"""Statements that amend or drop an earlier decision in other words: what they end, what they leave alone, and how the chat that
led to it is marked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem import Memory
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.revisions import Revisions
from graphmem.text.revising import AMENDS, DROPS, revision_of

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FIRST = [
    ("user", "The courier portal keeps retrying deliveries to closed depots. We need a rule for parcel retries."),
    ("assistant", "How often, and how long apart?"),
    ("user", "Three attempts, one per working day."),
    (
        "assistant",
        "Settled: parcel delivery is retried on three working days, and then the parcel returns to the depot of origin.",
    ),
]
SECOND = [
    ("user", "An update to the parcel retry rule we agreed on: depots charge us for returns now."),
    ("assistant", "Then a parcel should wait at the last depot instead?"),
    ("user", "Yes, for ten days."),
    (
        "assistant",
        "Amended rule: parcel delivery is retried on three working days, and then the parcel waits ten days at the last depot, "
        "superseding the return to origin.",
    ),
]  # fmt: skip
Row = tuple[str, str]


def chat(memory: Memory, session: str, turns: list[tuple[str, str]], day: int) -> None:
    memory.observe_many(
        [
            {"content": text, "role": role, "session": session, "at": START + timedelta(days=day, minutes=n)}
            for n, (role, text) in enumerate(turns)
        ]
    )


def edges(memory: Memory) -> list[Row]:
    return [
        (newer, older)
        for newer, older in memory.cypher(
            "MATCH (a:Fact)-[:SUPERSEDES]->(b:Fact) RETURN a.content AS newer, b.content AS older ORDER BY newer, older"
        ).rows
    ]


@pytest.mark.parametrize("order", [(0, 40), (40, 0)])
def test_an_amending_chat_ends_the_rule_and_marks_the_chat_that_led_to_it(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    with Memory.open(tmp_path / "store", project="courier") as memory:
        chats = sorted([(order[0], "first", FIRST), (order[1], "second", SECOND)])
        if order[0] > order[1]:  # imported later, said earlier
            chats = [(40, "second", SECOND), (0, "first", FIRST)]
        for day, name, turns in chats:
            chat(memory, name, turns, day)
            memory.process()
        ((newer, older),) = edges(memory)
        hits = memory.search("parcel delivery retried on three working days at closed depots", k=20).hits
    assert "waits ten days" in newer
    assert "returns to the depot of origin" in older
    marked = {hit.status for hit in hits if hit.session == "first"}
    assert marked <= {"amended", "superseded"} and "amended" in marked
    assert {hit.status for hit in hits if hit.session == "second"} == {"active"}


def test_what_else_the_chat_settled_is_not_marked(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="courier") as memory:
        chat(memory, "first", [*FIRST, ("user", "Never log with print, use the logger.")], 0)
        chat(memory, "second", SECOND, 40)
        memory.process()
        assert len(edges(memory)) == 1
        hits = memory.search("never log with print", k=5).hits
    said = [hit for hit in hits if hit.session == "first" and "print" in hit.content]
    assert said and {hit.status for hit in said} == {"active"} and hits[0] in said


@pytest.mark.parametrize(
    ("rule", "later", "ended"),
    [
        ("Never deploy on Fridays.", "The rule about not deploying on Fridays is dropped.", True),
        ("Always squash commits before merging.", "We no longer squash commits before merging.", True),
        ("The uploader must retry after 60 seconds.", "Actually, make it 30 instead of 60.", True),
        ("From now on every pull request needs two approvals.", "Scrap that rule, one approval is enough.", True),
        ("금요일에는 절대 배포하지 마세요.", "금요일 배포 금지 규칙은 취소한다.", True),
        ("Never deploy on Fridays.", "Is the rule about not deploying on Fridays dropped?", False),
        ("Never deploy on Fridays.", "If the rule about deploying on Fridays is dropped, we need a rota.", False),
        ("Never deploy on Fridays.", "Don't drop the rule about deploying on Fridays.", False),
        ("Never deploy on Fridays.", 'The handbook says "the rule about deploying on Fridays is dropped".', False),
        ("Never deploy on Fridays.", "The rule about naming branches is dropped.", False),
        ("Never commit generated files.", "From now on run the linter before every push.", False),
    ],
)  # fmt: skip
def test_what_a_later_sentence_ends(tmp_path: Path, rule: str, later: str, ended: bool) -> None:
    with Memory.open(tmp_path / "store", project="p") as memory:
        chat(memory, "s", [("user", rule)], 0)
        chat(memory, "s", [("user", later)], 1)
        memory.process()
        assert bool(edges(memory)) == ended


def test_a_person_takes_an_amendment_back(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="courier") as memory:
        chat(memory, "first", FIRST, 0)
        chat(memory, "second", SECOND, 40)
        memory.process()
        rows = memory.cypher("MATCH (a:Fact)-[:SUPERSEDES]->(b:Fact) RETURN a.id AS newer, b.id AS older").rows
        ((newer, older),) = rows
        memory.supersede(older, newer, undo=True)
        assert not edges(memory)
        hits = memory.search("parcel delivery retried on three working days at closed depots", k=20).hits
    assert {hit.status for hit in hits} == {"active"}


@pytest.mark.parametrize(
    ("sentence", "how"),
    [
        ("Amended rule: keys are lowercase.", AMENDS),
        ("From now on every release is tagged.", AMENDS),
        ("The old naming convention no longer applies.", DROPS),
        ("앞으로 커밋 메시지는 한국어로 써 주세요.", AMENDS),
        ("Should we drop the naming convention?", ""),
        ("We might amend the rule next week.", ""),
        ("The tests run on every push.", ""),
    ],
)
def test_which_sentences_revise(sentence: str, how: str) -> None:
    assert revision_of(sentence) == how


WORDS = ("parcel", "depot", "courier", "retry", "invoice", "label", "weight", "zone")


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.sampled_from(WORDS), min_size=2, max_size=6), st.booleans()), max_size=8),
    st.randoms(),
)
def test_matches_do_not_depend_on_the_order_of_arrival(said: list[tuple[list[str], bool]], random: object) -> None:
    entries = {
        ("p", f"s{n}"): Entry(n, f"e{n}", n, "facts", {
            "source": f"t{n}", "label": "Turn", "project": "p", "session": f"s{n}",
            "facts": [{"id": f"f{n}", "content": " ".join(words), "kind": "rule", "revises": AMENDS if revises else ""}],
        })
        for n, (words, revises) in enumerate(said)
    }  # fmt: skip
    whole, grown = Revisions(), Revisions()
    for place, entry in entries.items():
        whole.put(place, [entry], ())
    shuffled = list(entries.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for place, entry in shuffled:
        grown.put(place, [entry], ())
        list(grown.matches())
    assert list(whole.matches()) == list(grown.matches())


@pytest.mark.parametrize(
    ("decided", "before", "now", "asked"),
    [
        ("We decided to write the billing service in Rust because of memory safety.",
         "The timeout of the billing service is 30 seconds.", "The timeout of the billing service is 45 seconds now.", "why Rust?"),
        ("정산 서비스는 메모리 안전 때문에 Rust로 작성하기로 결정했습니다.", "정산 서비스의 제한 시간은 30초입니다.",
         "정산 서비스의 제한 시간은 이제 45초입니다.", "왜 Rust인가?"),
    ],
)  # fmt: skip
def test_a_changed_value_amends_no_other_decision_about_the_same_thing(
    decided: str, before: str, now: str, asked: str, tmp_path: Path
) -> None:
    with Memory.open(tmp_path, project="x") as memory:
        chat(memory, "a", [("user", decided), ("user", before)], 0)
        chat(memory, "b", [("user", now)], 30)
        memory.process()
        assert {hit.status for hit in memory.search(asked, k=6).hits if "Rust" in hit.content} == {"active"}
