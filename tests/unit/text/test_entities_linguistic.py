"""The tier with spaCy: the real model, registered components, the entity ruler, and what happens without a model."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text import pipeline
from graphmem.text.entities import extract_all, extract_entities, linguistic
from graphmem.text.entities.rules import find_entities

needs_model = pytest.mark.skipif(pipeline._home() is None, reason="no English spaCy model is installed")


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(m.text, m.type) for m in extract_entities(text, linguistic=True, **options)]


@needs_model
class TestWithModel:
    def test_knows_persons_that_no_list_has(self) -> None:
        text = "Yesterday we paired with Svetlana Petrova on the parser."
        assert ("Svetlana Petrova", "person") in found(text)
        assert ("Svetlana Petrova", "person") not in [
            (m.text, m.type) for m in extract_entities(text, linguistic=False)
        ]

    def test_software_is_no_person(self) -> None:
        text = "Docker broke, and then Kibana and Jenkins told Svetlana Petrova about it."
        assert {("Docker", "application"), ("Kibana", "application"), ("Jenkins", "application")} <= set(found(text))

    def test_the_ruler_learns_the_names_of_a_code_graph(self) -> None:
        text = "We showed Billing Core to Svetlana Petrova."
        assert ("Billing Core", "class") in found(text, known={"Billing Core": "class"})
        assert ("Billing Core", "class") not in found(text)  # and forgets them

    def test_components_are_registered_with_spacy(self) -> None:
        import spacy
        from spacy.tokens import Doc

        linguistic.register_names()
        nlp = spacy.blank("en")
        nlp.add_pipe(linguistic.COMPONENT)
        doc = nlp("Docker runs src/app.py")
        assert Doc.has_extension("software_entities")
        assert [doc.text[m.start : m.end] for m in doc._.software_entities] == ["Docker", "src/app.py"]

    def test_many_texts_give_what_each_gives_alone(self) -> None:
        texts = ["We met Svetlana Petrova.", "Docker fails", "", "Ask Bogdan Ivanov about #12."]
        assert extract_all(texts, linguistic=True) == [extract_entities(t, linguistic=True) for t in texts]

    def test_offsets_hold_with_odd_characters(self) -> None:
        for text in (
            "\ud800 We met Svetlana Petrova",
            "  \n\n We met Svetlana Petrova",
            "😀 met Svetlana Petrova 한글",
        ):
            assert all(text[m.start : m.end] == m.text for m in extract_entities(text, linguistic=True))


def test_spacy_is_asked_only_where_the_rules_left_a_question() -> None:
    assert not list(linguistic.open_parts(find_entities("Docker runs src/app.py with Python 3.11.")))
    text = "Docker runs.\nYesterday we paired with Svetlana.\nEnum.map(Foo)"
    assert [text[a:b] for a, b in linguistic.open_parts(find_entities(text))] == ["Yesterday we paired with Svetlana."]


@given(
    st.lists(st.sampled_from(["Zorbo ", "the ", "\n", ". ", "Enum.map(", "x" * 150 + " "]), max_size=30).map("".join)
)
def test_open_parts_are_disjoint_and_within_one_line(text: str) -> None:
    parts = list(linguistic.open_parts(find_entities(text)))
    assert all(0 <= a < b <= len(text) and "\n" not in text[a:b] for a, b in parts)
    assert all(b <= c for (_, b), (c, _) in pairwise(parts))


def test_without_a_model_the_rules_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linguistic, "_pipeline", lambda: None)
    text = "We ran Docker with Svetlana Petrova."
    assert extract_entities(text) == extract_entities(text, linguistic=False)
