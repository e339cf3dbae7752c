"""Long texts are searched by passages: which one a hit shows, what it cites, and that each item is cited by itself."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.model.changes import Item, Link
from graphmem.model.kinds import KINDS
from graphmem.ports.text import SUMMARIES, TRIGGERS

FILLER = "The harbour office keeps the usual books about tides, berths and cargo of the year. "
KINDS = [kind for kind in KINDS if kind not in (SUMMARIES, TRIGGERS)]


def long_text(*, at: int, sentence: str, paragraphs: int = 9) -> str:
    return "\n\n".join(sentence if number == at else f"{FILLER * 4}Paragraph {number}." for number in range(paragraphs))


def test_a_hit_shows_the_passage_and_holds_the_whole_text(memory):
    text = long_text(at=6, sentence="The zeppelin mast was dropped because insurers refused to cover it.")
    memory.note("long", text, kind="document", title="History", ref="docs/history.md:10")
    (hit, *rest) = memory.retriever.search("why was the zeppelin mast dropped", project="p").hits
    assert not rest, "one item is one hit"
    assert hit.content == text and hit.passage != text
    assert "zeppelin" in hit.passage and len(hit.passage) < 1_200
    assert text.splitlines()[hit.line] == hit.passage.splitlines()[0]
    assert hit.place == f"docs/history.md:{10 + hit.line}"


def test_the_context_holds_the_passage_and_not_the_message(memory):
    text = long_text(at=5, sentence="We decided that cranes stop at 60 km/h of wind.", paragraphs=40)
    memory.turns("hello", text, "fine")
    found = memory.retriever.search("at which wind do cranes stop", project="p", budget=600)
    assert "60 km/h" in found.context and found.context.count("Paragraph") < 4
    assert found.hits[0].content == text


def test_the_context_of_a_report_holds_what_its_conversation_concluded(memory):
    memory.turns(
        "The exporter crashes when a tag is empty, and the file stays locked after the crash.",
        "We could delete the lock file at the next start.",
        "No, another process may hold that lock.",
        "Agreed. Decision: the exporter must release its lock in a finally block, and never delete a lock of others.",
        "Good, do that.",
    )
    found = memory.retriever.search("the exporter crashes with an empty tag", project="p", budget=400)
    assert found.hits[0].id == "s0"
    assert "concluded, " in found.context and "release its lock in a finally block" in found.context
    short = memory.retriever.search("the exporter crashes with an empty tag", project="p", budget=90)
    assert short.tokens <= 90


def test_passages_of_a_turn_know_their_neighbours(memory):
    text = long_text(at=2, sentence="Berth nine is the deepest.")
    memory.turns("Which berth is the deepest?", text, "Thanks.")
    index = memory.index
    (row,) = [one.row for one in index.find(["s1"])]
    rows = [row, *(before[2] for before in index.neighbours([row + 1], 1))]
    assert index.neighbours([row], 1) == [[0, row, 0]], "the whole is no neighbour of anything"
    assert index.items([rows[1]])[0].parent == row
    assert [one.item.id for one in index.around(row + 1, 1)] == ["s0", "s1", "s2"]


def test_nothing_is_left_of_the_passages_of_a_removed_item(memory):
    memory.turns(long_text(at=3, sentence="The xylophone is in the attic."))
    assert memory.ask("xylophone attic")
    memory.index.apply(["s0"], [], [], {})
    assert memory.ask("xylophone attic") == []
    assert memory.index.unknown(["xylophone"]) == ["xylophone"]
    assert memory.index.kinds() == []


def test_a_changed_item_gets_other_passages(memory):
    memory.note("doc", long_text(at=1, sentence="The old lighthouse is red."), kind="document")
    memory.note("doc", long_text(at=7, sentence="The new lighthouse is white."), kind="document")
    (hit,) = memory.retriever.search("lighthouse", project="p").hits
    assert "white" in hit.passage and "red" not in hit.content


def test_an_item_is_not_related_to_itself(memory):
    text = long_text(at=4, sentence="Grace Hopper wrote it.")
    for name in ("a", "b"):
        memory.put(
            Item(name, "document", name, text + name, 0, name, project="p", event=name),
            links=[Link(name, "person:grace", "Grace Hopper")],
        )
    (first, second) = memory.retriever.details(["a", "b"])
    assert first.related == (second.citation,) and second.related == (first.citation,)


texts = st.one_of(
    st.text("abc dé한글 \n", min_size=1, max_size=60).map(lambda text: f"needle {text}"),
    st.integers(0, 8).map(lambda at: long_text(at=at, sentence="needle here")),
)


@given(st.lists(st.tuples(st.sampled_from(KINDS), texts), min_size=1, max_size=8), st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_a_citation_opens_is_what_was_found(memory, entries, one_event):
    """Of every kind, several of one event as well: each hit's citation opens its own text."""
    memory.index.clear()
    memory.put(
        *(Item(f"{kind}{number}", kind, f"title {number}", text, number, f"ref{number}", project="p",
               event="one" if one_event else f"event{number}", sequence=number)
          for number, (kind, text) in enumerate(entries))
    )  # fmt: skip
    hits = memory.retriever.search("needle", project="p", k=20).hits
    assert len({hit.citation for hit in hits}) == len(hits)
    for hit in hits:
        (detail,) = memory.retriever.details([hit.citation[5:-1]])
        assert (detail.id, detail.kind, detail.content) == (hit.id, hit.kind, hit.content)
        assert hit.passage in hit.content
        assert hit.citation not in detail.related


def test_each_section_of_a_file_is_cited_by_itself(tmp_path):
    file = tmp_path / "docs" / "guide.md"
    file.parent.mkdir()
    file.write_text("# Guide\n\nWelcome.\n\n## Timeouts\n\nThe default is five seconds.\n\n## Proxies\n\nMount one.\n")
    with Memory.open(tmp_path / "store", project="p") as mem:
        mem.ingest("documents", str(file))
        mem.process()
        (hit, *_) = mem.search("what is the default of timeouts").hits
        (detail,) = mem.details([hit.citation])
        assert "five seconds" in hit.content and detail.content == hit.content
        assert mem.show(hit.citation)["node"]["id"] == hit.id


def test_a_small_budget_shortens_the_best_hit_and_does_not_leave_it_out(memory):
    memory.turns(
        "The log store moves from ClickHouse to PostgreSQL, because the cluster is too expensive for one table.",
        "ok, logs",
    )
    found = memory.retriever.search("log store ClickHouse PostgreSQL", project="p", budget=45)
    assert "The log store moves" in found.context and found.tokens <= 45
    assert found.hits[0].citation in found.context
