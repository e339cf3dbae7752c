"""References on whole texts: persons, things, Korean, and what must never happen whatever the text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.model.text import EntityMention, Reference
from graphmem.text import pipeline
from graphmem.text.references import resolve_many, resolve_references


def meanings(text: str) -> dict[str, str]:
    """Each reference in lower case with its antecedent; a later one of the same words gets a number."""
    found: dict[str, str] = {}
    for reference in resolve_references(text):
        key, number = reference.text.lower(), 2
        while key in found:
            key, number = f"{reference.text.lower()} {number}", number + 1
        found[key] = reference.antecedent
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Laura phoned the office because she had lost the key.", {"she": "Laura"}),
        ("Laura and Peter reviewed the release. He approved it after lunch.", {"he": "Peter"}),
        ("Mr. Okafor thanked Mrs. Lindqvist for her patience.", {"her": "Mrs. Lindqvist"}),
        ("Helen met Ruth at the station, and Ruth showed her the new office.", {"her": "Helen"}),
        ("After he left the company, Daniel founded a bakery.", {"he": "Daniel"}),
        ("Martin hurt himself while he repaired the roof.", {"himself": "Martin", "he": "Martin"}),
        ("Clara wrote the parser. Everybody liked her style.", {"her": "Clara"}),
        ("The waitress dropped a plate. She apologised to George.", {"she": "The waitress"}),
    ],
)
def test_persons(text: str, expected: dict[str, str]) -> None:
    assert meanings(text).items() >= expected.items()


def test_a_name_of_software_is_no_person() -> None:
    assert meanings("Docker was down again when Victor came. He restarted it.")["he"] == "Victor"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I opened src/cache.py. That file has no tests.", {"that file": "src/cache.py"}),
        ("`load_rows()` returned None. The function should raise instead.", {"the function": "load_rows()"}),
        ("The job died with a ValueError. We saw this error only once.", {"this error": "ValueError"}),
        (
            "There is a memory leak in the upload worker. I will fix the bug tomorrow.",
            {"the bug": "a memory leak in the upload worker"},
        ),
        ("The tests in tests/test_lock.py hang. The test waits for a lock.", {"the test": "tests/test_lock.py"}),
        ("We replaced requests with httpx. The library supports HTTP/2.", {"the library": "httpx"}),
        ("The indexer holds the lock. It should release it earlier.", {"it": "The indexer"}),
        ("The workers are slow because they share one connection.", {"they": "The workers"}),
        ("The linter and the formatter disagree. They need one setting.", {"they": "The linter and the formatter"}),
        ("Throw the index away and end the process that opened it.", {"it": "the index"}),
        ("Each worker (a thread) closes its connection.", {"its": "Each worker"}),
        ("- `usearch`: quick to build; its files are small.", {"its": "usearch"}),
        ("Yesterday build.sh failed. This happened after the upgrade.", {}),
        ("The importer raised a KeyError. This happened twice.", {"this": "KeyError"}),
    ],
)
def test_things(text: str, expected: dict[str, str]) -> None:
    assert meanings(text).items() >= expected.items()


@pytest.mark.parametrize(
    "text",
    [
        "It is clear that the cache is stale.",
        "We pinned SQLite. It took two days to find a version that works.",
        "The parser is fine. It seems that the lexer is wrong.",
        "Open the file src/app.py and read the error message.",
        "The bug in the scheduler is old.",
        "The function that parses dates is slow.",
    ],
)
def test_what_points_at_nothing(text: str) -> None:
    assert meanings(text) == {}


def test_a_chain_leads_to_the_name() -> None:
    text = "src/lexer.py was rewritten. The file is smaller now. It has two classes, and its tests pass."
    assert meanings(text) == {"the file": "src/lexer.py", "it": "src/lexer.py", "its": "src/lexer.py"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/cache.py를 열었다. 그 파일에는 테스트가 없다.", {"그 파일": "src/cache.py"}),
        ("load_rows() 함수가 느리다. 이 함수는 고쳐야 한다.", {"이 함수": "load_rows()"}),
        ("결제 화면에서 로그인 버그를 찾았다. 그 버그는 내일 고친다.", {"그 버그": "로그인 버그"}),
        ("업로드 서버의 메모리 누수를 확인했다. 이 문제는 오래됐다.", {"이 문제": "업로드 서버의 메모리 누수"}),
        ("KeyError가 났다. 해당 오류는 처음 본다.", {"해당 오류": "KeyError"}),
        ("config/app.toml을 지웠다. 그것은 필요 없다.", {"그것": "config/app.toml"}),
        ("김민수가 배포했다. 그는 오늘 쉰다.", {"그": "김민수"}),
    ],
)
def test_korean(text: str, expected: dict[str, str]) -> None:
    assert meanings(text) == expected


def test_entities_that_are_known_are_used() -> None:
    text = "Blaze is slow. The library needs work."
    assert meanings(text) == {}
    known = [EntityMention(0, 5, "Blaze", "library")]
    assert [(r.text, r.antecedent) for r in resolve_references(text, known)] == [("The library", "Blaze")]


def test_without_a_model_rules_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "load_pipeline", lambda: None)
    text = "Laura Meyer wrote src/cache.py. She tested it, but the file is long."
    found = {r.text: r.antecedent for r in resolve_references(text)}
    assert found["the file"] == "src/cache.py" and "it" not in found
    assert found.get("She", "Laura Meyer") == "Laura Meyer"


def check(text: str, references: list[Reference]) -> None:
    for reference in references:
        assert text[reference.start : reference.end] == reference.text != ""
        assert text[reference.antecedent_start : reference.antecedent_end] == reference.antecedent != ""
        assert (reference.start, reference.end) != (reference.antecedent_start, reference.antecedent_end)
    assert all(a.end <= b.start for a, b in itertools.pairwise(references))


def test_long_texts_keep_their_offsets() -> None:
    paragraph = "Laura opened src/cache.py. She read that file, and it was long. 그 파일은 크다.\n"
    text = paragraph * 400
    assert len(text) > 24_000
    references = resolve_references(text)
    check(text, references)
    assert len(references) == 4 * 400
    assert references[-1].start > len(text) - 40


def test_many_at_once_equal_one_by_one() -> None:
    texts = ["Laura slept. She snored.", "", "no reference here", "KeyError again. 그 오류는 오래됐다."]
    assert resolve_many(texts) == [resolve_references(t) for t in texts]
    assert [len(found) for found in resolve_many(texts)] == [1, 0, 0, 1]


pieces = st.sampled_from(
    "she|her|It|its|they|himself|the bug|that file|This happened|그 파일|그것은|그는|Laura|Mr. Smith|src/a.py|foo()|KeyError|"
    "a memory leak in|the|and|is|said|. |, |? |\n|\n\n|(|\"|``|''|é|🔥|한글|\u200b|x\u0301|'s|-|1.2.3|will|Will".split(
        "|"
    )
)


@given(st.lists(pieces, max_size=40).map(" ".join))
@settings(deadline=None, max_examples=examples(60))
def test_any_mixture_of_words_is_safe(text: str) -> None:
    check(text, resolve_references(text))


@given(st.text(max_size=120))
@settings(deadline=None, max_examples=examples(60))
def test_any_text_is_safe(text: str) -> None:
    check(text, resolve_references(text))
