"""Whatever the text: no error, right offsets, no overlap but inside of commands, the same answer every time."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.entities import TYPES, extract_entities
from graphmem.text.entities.korean import stem
from graphmem.text.entities.words import scan_words
from graphmem.text.entities.wordshape import shape_of

WORDS = (
    "git add pip install foo Foo fooBar foo_bar () ( ) <div> src/ a.py :12 #12 @x --flag v1.2 3.11 2024-01-02 Docker 를"
    " 에서 김철수 가 button the version . , ' http:// www. e.g. C++ C: [] < > List<String> 404 error March 5 5월 6일 é"
)
PIECES = [*WORDS.split(" "), *' \n`"\\\x00\ud800$', "```\n", "$ ", "git ", "add ", "the ", "version "]
messy = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
texts = st.one_of(messy, st.text(max_size=120))


@given(texts)
def test_offsets_are_those_of_the_text(text: str) -> None:
    for m in extract_entities(text, linguistic=False):
        assert 0 <= m.start < m.end <= len(text)
        assert m.text == text[m.start : m.end] != ""
        assert m.text == m.text.strip()
        assert m.type in TYPES


@given(texts)
def test_only_commands_overlap_others(text: str) -> None:
    mentions = [m for m in extract_entities(text, linguistic=False) if m.type != "command"]
    assert all(a.end <= b.start for a, b in pairwise(mentions))


@given(texts)
def test_the_answer_is_always_the_same(text: str) -> None:
    assert extract_entities(text, linguistic=False) == extract_entities(text, linguistic=False)


@given(texts)
def test_the_scan_keeps_every_visible_character_in_order(text: str) -> None:
    words = scan_words(text)
    assert all(end <= start for end, start in zip(words.ends, words.starts[1:], strict=False))
    assert [text[s:e] for s, e in zip(words.starts, words.ends, strict=True)] == words.texts
    assert "".join(words.texts) == "".join(text.split())


@given(st.text(min_size=1, max_size=60))
def test_every_word_has_a_shape(word: str) -> None:
    assert isinstance(shape_of(word), str)


@given(st.text(alphabet="가나다를을에서는도이", max_size=8))
def test_a_stem_starts_its_word(word: str) -> None:
    assert word.startswith(stem(word))
    assert len(stem(word)) >= min(2, len(word))
