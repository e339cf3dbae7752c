"""Alignment of quotes: the three stages, their spans in the original, and the two uses of it."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import examples, processor_seconds

from graphmem.text.align import FUZZY_CAP, Aligner, align, align_all, grounded_ratio

_LETTERS = str.maketrans("0123456789", "ghijklmopq")
STORY = (
    "The importer reads one file at a time. When the lock is held it waits for 30 seconds and then gives up.\n"
    "Nobody noticed that the queue was never drained, so the disk filled slowly until Thursday."
)


def text_of(source: str, quote: str) -> str | None:
    found = align(source, quote)
    return None if found is None else source[found.start : found.end]


def test_exact() -> None:
    found = align("Error 12: disk full", "disk full")
    assert found is not None
    assert (found.start, found.end, found.method, found.confidence, found.ambiguous) == (10, 19, "exact", 1.0, False)


def test_korean_offsets_count_characters() -> None:
    found = align("어제는 그 배포가 멈췄다. 로그인 서버를 먼저 고친다.", "로그인 서버를 먼저 고친다")
    assert found is not None and (found.start, found.end) == (15, 29)


@pytest.mark.parametrize(
    ("source", "quote", "expected"),
    [
        ("a  B\n\tc d", "A b C", "a  B\n\tc"),
        ("Ｆｕｌｌ width", "full width", "Ｆｕｌｌ width"),
        ("zero\u200bwidth\ufeff space here", "zerowidth space", "zero\u200bwidth\ufeff space"),
        ("x ﬁnally done", "finally DONE", "ﬁnally done"),
        (unicodedata.normalize("NFD", "앞 로그인 버그 뒤"), "로그인 버그", unicodedata.normalize("NFD", "로그인 버그")),
        ("앞 로그인 버그 뒤", unicodedata.normalize("NFD", "로그인 버그"), "로그인 버그"),
        ("ship it 👩\u200d💻\ufe0f NOW please", "👩💻 now", "👩\u200d💻\ufe0f NOW"),
        ("he said “it’s done” — twice", '"it\'s done" - twice', "“it’s done” — twice"),
        (unicodedata.normalize("NFD", "le café fermé"), "CAFÉ", unicodedata.normalize("NFD", "café")),
    ],
)
def test_normalized_spans_lie_in_the_original(source: str, quote: str, expected: str) -> None:
    found = align(source, quote)
    assert found is not None and found.method == "normalized" and found.confidence == 0.95
    assert source[found.start : found.end] == expected


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Nobody noticd that the queue was never drained", "Nobody noticed that the queue was never drained"),
        ("the importer read one files at a time", "The importer reads one file at a time"),
        ("when the lock is held, it waits for 30 second", "When the lock is held it waits for 30 second"),
    ],
)
def test_fuzzy_finds_the_whole_passage(quote: str, expected: str) -> None:
    found = align(STORY, quote)
    assert found is not None and found.method == "fuzzy" and 0.85 <= found.confidence <= FUZZY_CAP
    assert STORY[found.start : found.end] == expected


def test_fuzzy_korean() -> None:
    source = "어제 회의에서 배포 스크립트를 다시 작성하기로 결정했고 담당자는 아직 없다."
    assert text_of(source, "배포 스크립트를 다시 작성하기로 결정햇고") == "배포 스크립트를 다시 작성하기로 결정했고"


@pytest.mark.parametrize(
    "quote",
    [
        "it waits for 90 seconds and then gives up",  # another number
        "the queue was drained, so the disk filled slowly",  # the negation is gone
        "the database was migrated on a quiet Sunday",  # invented
        "lokc",  # too short to guess
        "",
        " \n",
        "\u200b",
    ],
)
def test_what_the_source_does_not_say_is_not_found(quote: str) -> None:
    assert align(STORY, quote) is None


def test_the_first_of_several_places_is_taken_and_marked() -> None:
    found = align("retry once. Retry once. retry once", "retry once")
    assert found is not None and found.start == 0 and found.ambiguous
    assert Aligner("retry once. Retry once. retry once").find("retry once").alternatives == 1  # exact places only
    found = align("please retry the upload. We retry the upload.", "RETRY THE upload")
    assert found is not None and found.start == 7 and found.ambiguous and found.method == "normalized"
    found = align("we retried the upload now and we retried the upload now", "we retryed the uploads now")
    assert found is not None and found.start == 0 and found.ambiguous and found.method == "fuzzy"


def test_long_sources_have_no_chunk_borders() -> None:
    filler = "\n".join(f"line {i}: nothing happened in module number {i * 7}" for i in range(3_000))
    assert len(filler) > 100_000
    for cut in (0, 9_990, 10_000, len(filler)):
        source = f"{filler[:cut]}\nThe scheduler   deadlocked because both workers held the same lease.\n{filler[cut:]}"
        quote = "the scheduler deadlockd because both wokers held the same lease"
        assert text_of(source, quote) == "The scheduler   deadlocked because both workers held the same lease"


alphabet = st.characters(codec="utf-8") | st.sampled_from("abc 가나\u1100\u1161\u11a8\u200b\n“é😀́")


@given(st.text(alphabet, min_size=1, max_size=60), st.data())
def test_every_slice_aligns_exactly(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    quote = source[start:end]
    assume(quote.strip())
    found = align(source, quote)
    assert found is not None and found.method == "exact"
    assert source[found.start : found.end] == quote and found.start <= start
    assert found.ambiguous == (source.find(quote, source.find(quote) + 1) >= 0)


@given(st.text(alphabet, max_size=80), st.text(alphabet, max_size=40))
@settings(deadline=None)
def test_any_input_is_safe_and_spans_are_inside(source: str, quote: str) -> None:
    found = align(source, quote)
    if found is not None:
        assert 0 <= found.start < found.end <= len(source)
        assert 0.85 <= found.confidence <= 1.0


VOCABULARY = """cache lock token parser branch commit merge graph index daemon 서버 배포 파일 로그 설정"""
words = st.sampled_from(VOCABULARY.split())


@given(st.lists(words, min_size=12, max_size=60), st.data())
@settings(deadline=None, max_examples=examples(60))
def test_a_few_typing_errors_are_found(tokens: list[str], data: st.DataObject) -> None:
    source = "intro. " + " ".join(tokens) + " outro"
    start = data.draw(st.integers(0, len(source) - 40))
    quote = source[start : start + 40]
    for at in data.draw(st.lists(st.integers(0, 39), max_size=3)):
        quote = quote[:at] + "~" + quote[at + 1 :]
    assume(quote.strip() == quote)
    found = align(source, quote)
    assert found is not None and found.confidence >= (1.0 if quote in source else 0.85)


@given(st.sampled_from(["\n", "  ", "\t \n", "\u00a0", "\u3000"]), st.lists(words, min_size=2, max_size=8))
def test_white_space_and_case_never_matter(space: str, tokens: list[str]) -> None:
    quote = " ".join(tokens)
    source = f"<{space}" + space.join(t.upper() for t in tokens) + f"{space}>"
    found = align(source, quote)
    assert found is not None and source[found.start : found.end] == space.join(t.upper() for t in tokens)


spoken = st.sampled_from([*VOCABULARY.split(), "대기열이", "비었습니다", "작업자", "😀", "👩‍💻", "étage", "각"])


@given(st.integers(9_900, 10_100), st.lists(spoken, min_size=4, max_size=14, unique=True),
       st.lists(st.sampled_from([" ", "\n", "  ", "\t \n", "\u00a0"]), min_size=14, max_size=14), st.booleans())  # fmt: skip
@settings(deadline=None, max_examples=examples(60))
def test_spans_are_exact_wherever_they_lie(before: int, tokens: list[str], gaps: list[str], apart: bool) -> None:
    """Hangul in syllables or in letters, emoji of several code points, any white space, at any place of a long source."""
    said = "".join(f"{token}{gap}" for token, gap in zip(tokens, gaps, strict=False)).strip()
    said = unicodedata.normalize("NFD" if apart else "NFC", said)
    filler = ("nothing happened in module 7. " * 400)[:before].rstrip()
    source = f"{filler} <{said}> {filler}"
    found = align(source, unicodedata.normalize("NFC", " ".join(tokens)).upper())
    assert found is not None and source[found.start : found.end] == said


def test_align_all_reports_every_quote() -> None:
    messages = ["We chose SQLite for the log.", "It retries twice. It retries twice."]
    quotes = [
        (0, "we chose sqlite"),
        (1, "It retries twice."),
        (2, "We chose"),
        (-1, "We chose"),
        (0, " "),
        (0, "a wholly different thing"),
        (0, "We chose MySQLite at a log"),
    ]
    report = align_all(messages, quotes)
    assert [q.failure for q in report.quotes] == [
        None, None, "invalid_index", "invalid_index", "empty_quote", "not_found", "below_threshold",
    ]  # fmt: skip
    assert report.quotes[0].quote_hash == hashlib.sha256(b"we chose sqlite").hexdigest()
    assert report.quotes[1].alternatives == 1
    assert not report.aligned and len(report.failed) == 5
    assert align_all(messages, quotes[:1]).verifiable
    both = align_all(messages, quotes[:2])
    assert both.aligned and not both.verifiable  # a repeated quote proves no place
    assert not align_all(messages, []).aligned


def test_grounded_ratio() -> None:
    sources = ["The queue was drained at noon.", "Workers restart themselves after a crash, says the manual."]
    response = (
        "- The queue was drained at noon.\n1. Workers restart themselves after a crsh. Is that so, really?\n"
        "The moon is made of green cheese! Ok."
    )
    grounding = grounded_ratio(response, sources)
    assert [(c.text, c.source_index) for c in grounding.claims] == [
        ("The queue was drained at noon.", 0),
        ("Workers restart themselves after a crsh.", 1),
        ("The moon is made of green cheese!", None),
    ]
    assert grounding.ratio == pytest.approx(2 / 3)
    assert all(response[c.start : c.end] == c.text for c in grounding.claims)
    assert grounded_ratio("Why? Ok.", sources).ratio is None
    assert grounded_ratio("This is not in any source at all.", []).ratio == 0


@given(st.text(alphabet, max_size=60), st.lists(st.text(alphabet, max_size=60), max_size=2))
@settings(deadline=None)
def test_grounding_any_text_is_safe(response: str, sources: list[str]) -> None:
    grounding = grounded_ratio(response, sources)
    assert grounding.ratio is None or 0 <= grounding.ratio <= 1
    assert all(response[c.start : c.end] == c.text for c in grounding.claims)


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("a" * 5_000 + "source", "quote" + "a" * 5_000),
        ("ab" * 20_000, "abc" * 20_000),
        (" ".join(map(str, range(30_000))), " ".join(map(str, range(1, 60_000, 2)))),
    ],
)
def test_long_texts_that_repeat_themselves_take_a_moment(source: str, quote: str) -> None:
    assert processor_seconds(lambda: align(source, quote), enough=3) < 30


def test_a_long_quote_with_changes_is_found() -> None:
    source = " ".join(hashlib.md5(bytes(str(n), "ascii")).hexdigest().translate(_LETTERS) for n in range(5_000))
    quote = source[60_000:62_000] + source[62_300:66_000]
    found = align(source, quote)
    assert found is not None and abs(found.start - 60_000) < 310 and abs(found.end - 66_000) < 310
