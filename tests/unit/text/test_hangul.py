"""Korean words without their endings, and the English words that loanwords are transcriptions of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.hangul import base_verbs, find_originals, is_ending, strip_endings, transcription_initials

HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=8)
VOCABULARY = (
    "cluster crypt custom deadlock decorator default generator handler instance iterator middleware migration module"
    " operator overload overlay pipeline plugin polyfill prototype proxy registry scatter snapshot stream telemetry"
    " tokenizer transpile wildcard websocket"
).split()


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("오븐에서는", "오븐"),
        ("반죽하려면", "반죽"),
        ("저장했나요", "저장"),
        ("빵을", "빵"),
        ("가루만으로", "가루"),
        ("결과", "결과"),
        ("경로", "경로"),
        ("하면", ""),
        ("있나요", ""),
    ],
)
def test_particles_and_endings_come_off(word, base):
    assert strip_endings(word) == base


@pytest.mark.parametrize(
    ("loan", "original"),
    [
        ("데드락", "deadlock"),
        ("제너레이터", "generator"),
        ("이터레이터", "iterator"),
        ("미들웨어", "middleware"),
        ("마이그레이션", "migration"),
        ("오버로드", "overload"),
        ("파이프라인", "pipeline"),
        ("폴리필", "polyfill"),
        ("프로토타입", "prototype"),
        ("프록시", "proxy"),
        ("레지스트리", "registry"),
        ("스냅샷", "snapshot"),
        ("텔레메트리", "telemetry"),
        ("토크나이저", "tokenizer"),
        ("트랜스파일", "transpile"),
        ("와일드카드", "wildcard"),
        ("웹소켓", "websocket"),
    ],
)
def test_a_loanword_is_met_by_the_word_that_it_transcribes(loan, original):
    assert find_originals(loan, VOCABULARY)[0] == original
    assert original[0] in transcription_initials(loan)


@pytest.mark.parametrize("word", ["여러", "배열을", "가져오는", "기다리는", "로그"])
def test_a_native_or_short_word_is_no_loanword(word):
    assert transcription_initials(word) == ""


def test_verb_forms_lead_to_their_base():
    assert "나누" in base_verbs("나눠") and "굽히" in base_verbs("굽힌") and base_verbs("굽기") == []


@given(HANGUL)
def test_any_korean_text_is_read(word):
    base = strip_endings(word)
    assert word.startswith(base)
    assert find_originals(word, VOCABULARY) == find_originals(word, list(VOCABULARY))
    assert is_ending("") and isinstance(transcription_initials(word), str)
    assert all(len(one) == len(word) for one in base_verbs(word))


@given(st.text(st.characters(min_codepoint=0x61, max_codepoint=0x7A), min_size=1, max_size=40))
def test_any_word_may_be_an_original(word):
    assert set(find_originals("스트림", [word])) <= {word}


def test_a_long_run_of_endings_is_read_in_few_steps():
    for word in ("지는" * 500 + "쾅", "하하하하" * 300, "에서는도만" * 300):
        assert word.startswith(strip_endings(word)) and not is_ending(word)


def test_a_word_of_several_scripts_is_no_transcription() -> None:
    for word in ("슽xd帻", "帻", "뮤텍스x"):
        assert find_originals(word, VOCABULARY) == [] and transcription_initials(word) == ""
