"""Sentences that only correct a value: each form with each kind of value, in two languages, and what only begins like one."""

from __future__ import annotations

from itertools import product

import pytest

from graphmem.text.ellipses import Ellipsis, complete, find_ellipses, read_ellipsis, without_contrast

OPENINGS = ("wait, ", "no, ", "ah wait no, ", "sorry, ", "Oops: ", "hold on, ", "scratch that, ", "Correction: ", "actually ",
            "I meant ", "make that ", "typo: ", "no no, ", "on second thought, ", "hmm no, let's do ", "my mistake, it's ")  # fmt: skip
NAMING = ("not {old} but {new}", "wait, {new}, not {old}", "sorry, {new} instead of {old}", "no, {old} should be {new}", "no, {old} -> {new}",
          "I said {old}, I meant {new}", "wait, not {old}, {new}")  # fmt: skip
KOREAN = ("아니다, {new}로 하자", "정정: {new}", "아 잠깐, {old}가 아니라 {new}로 하자.", "{old} 말고 {new}로 해줘", "미안 {new}야", "다시 {new}로 하자",
          "아까 {old}라고 했는데 {new}야", "오타야, {new}", "{old} 대신 {new}로 하자", "{new}로 정정합니다")  # fmt: skip
VALUES = (
    ("The grpc port is {}.", "50051", "50061"),
    ("The retry limit of the importer is {}.", "5", "8"),
    ("The job runs at {}.", "02:00", "03:30"),
    ("Uploads may have {} at most.", "20MB", "50 MB"),
    ("The cache lives for {}.", "15 minutes", "2 hours"),
    ("The canary gets {} of the traffic.", "5%", "10%"),
    ("The release is on {}.", "March 12", "March 19"),
    ("We ship on {}.", "Tuesdays", "Wednesdays"),
    ("The proxy reads {}.", "proxy.yaml", "proxy.toml"),
    ("The callback is {}.", "/auth/callback", "/oauth/callback"),
)
KOREAN_VALUES = (
    ("캐시 TTL은 {}로 하자.", "60초", "90초"),
    ("grpc 포트는 {}이야.", "50051", "50061"),
    ("배포는 {}에 한다.", "화요일", "수요일"),
    ("배치는 {}에 돌아.", "2시", "3시 30분"),
    ("PR은 {}이 승인해야 해.", "두 명", "세 명"),
    ("업로드 한도는 {}야.", "20MB", "50MB"),
    ("릴리스는 {}이다.", "3월 12일", "3월 19일"),
)


def completed(sentence: str, correction: str) -> str:
    found = read_ellipsis(correction)
    done = complete(found, sentence) if found else None
    return done.text if done else ""


@pytest.mark.parametrize(("frame", "old", "new"), VALUES)
def test_an_opening_and_a_value_correct_the_value_of_the_sentence_before(frame: str, old: str, new: str) -> None:
    forms = [opening + new for opening in OPENINGS] + [form.format(old=old, new=new) for form in NAMING]
    assert {form: completed(frame.format(old), form) for form in forms} == dict.fromkeys(forms, frame.format(new))


@pytest.mark.parametrize(("frame", "old", "new"), KOREAN_VALUES)
def test_a_korean_correction_needs_no_topic(frame: str, old: str, new: str) -> None:
    forms = [form.format(old=old, new=new) for form in KOREAN]
    assert {form: completed(frame.format(old), form) for form in forms} == dict.fromkeys(forms, frame.format(new))


RESTS = ("{} tests fail", "run the {} tests first", "it does not work with {}", "line {} is broken", "is it {}?", "use {} in the example",
         "the other one has {}", "{} of them failed", "leave it at {} for the demo and fix the test", "why {}?")  # fmt: skip


@pytest.mark.parametrize(("opening", "rest"), list(product(("no, ", "wait, ", "sorry, ", "actually, ", "oh, "), RESTS)))
def test_what_says_more_than_a_value_is_no_correction(opening: str, rest: str) -> None:
    assert read_ellipsis(opening + rest.format("3")) is None


@pytest.mark.parametrize(
    "said",
    [
        "no, thanks",
        "no, stop",
        "wait",
        "Sorry, Jonas",
        "아니, 테스트 200개가 실패해",
        "아 8번 줄도 고쳐줘",
        "use ruff instead of flake8",
        "8",
        "Ok.",
    ],
)
def test_talk_and_whole_statements_are_no_corrections(said: str) -> None:
    assert read_ellipsis(said) is None


@pytest.mark.parametrize(
    ("sentence", "correction"),
    [
        ("The port is 50051.", "no, 5"),  # too far away to be one
        ("The timeout is 30 seconds.", "wait, 5 MB"),
        ("Retry 3 times and wait 5 times as long.", "no, 4 times"),  # which of the two?
        ("Use Node 20.", "sorry, Python 3"),
    ],
)
def test_a_value_of_another_kind_or_of_an_unclear_place_corrects_nothing(sentence: str, correction: str) -> None:
    assert completed(sentence, correction) == ""


def test_a_bare_number_takes_the_unit_of_the_sentence() -> None:
    assert completed("The lifetime is 15 minutes.", "Actually 30.") == "The lifetime is 30 minutes."
    assert completed("The app needs iOS 15 or newer.", "oops, iOS 16") == "The app needs iOS 16 or newer."


def test_the_value_that_a_sentence_is_about_is_meant() -> None:
    found = complete(Ellipsis("600"), "The limit of 3 pools is 300.", "300")
    assert found and found.text == "The limit of 3 pools is 600."


def test_an_opening_may_be_a_sentence_of_its_own() -> None:
    assert [words for _, _, words in find_ellipses("Wait. 24 hours. Then fix the tests.")] == ["Wait, 24 hours."]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Wait, the pool size isn't 5 but 8.", "The pool size is 8."),
        ("The timeout is not 5 seconds but 8.", "The timeout is 8 seconds."),
        ("The deploy is not on Tuesday, it's on Thursday.", "The deploy is on Thursday."),
        ("배포는 매주 화요일이 아니라 매주 목요일에 한다.", "배포는 매주 목요일에 한다."),
        ("아 잠깐, 보관 기간은 14일 말고 30일로 하자.", "보관 기간은 30일로 하자."),
        ("The cap is not 20 MB but 3 retries.", "The cap is not 20 MB but 3 retries."),
        ("We do not use 5 workers but 8 of them.", "We do not use 5 workers but 8 of them."),
        ("Isn't it 5 but 8?", "Isn't it 5 but 8?"),
    ],
)
def test_a_value_that_is_denied_beside_its_own_is_left_out(said: str, meant: str) -> None:
    assert without_contrast(said) == meant
