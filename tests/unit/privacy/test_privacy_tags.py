"""Private sections: every syntax, nesting, code, unclosed tags, markers, lines and statistics."""

from __future__ import annotations

import pytest

from graphmem.errors import UsageError
from graphmem.privacy import PrivacySettings, filter_text, redact

SYNTAXES = [
    ("<private>", "</private>"),
    ("<PRIVATE>", "</Private>"),
    ("<private/>", "</private>"),
    ("<private />", "</private>"),
    ("[private]", "[/private]"),
    ("[Private]", "[/PRIVATE]"),
    ("[PRIVATE]", "[/PRIVATE]"),
    ("<!-- private -->", "<!-- /private -->"),
    ("<!--private-->", "<!--/PRIVATE-->"),
    ("<private >", "</private >"),
    ('<private reason="it\'s mine" by=me/>', "</private>"),
    ("<private\n>", "</private\n>"),
]


@pytest.mark.parametrize(("opening", "closing"), SYNTAXES)
def test_each_syntax_hides_its_section(opening: str, closing: str) -> None:
    if (opening, closing) == ("[Private]", "[/PRIVATE]"):
        closing = "[/Private]"  # capitals alone pair with capitals alone, because the marker is `[PRIVATE]`
    text = f"앞 {opening}비밀 🤫\n둘째 줄{closing} 뒤"
    report = filter_text(text)
    assert report.text == "앞 [PRIVATE] 뒤"
    assert text[report.spans[0].start : report.spans[0].end] == f"{opening}비밀 🤫\n둘째 줄{closing}"
    assert (report.sections, report.unclosed, report.patterns) == (1, False, 0)


@pytest.mark.parametrize(
    "text", ["< private >x</ private >", "<privat>x</privat>", "<private x>y</private>", "(private)x(/private)"]
)
def test_malformed_tags_are_text(text: str) -> None:
    assert redact(text).text == text


def test_of_nested_sections_the_outermost_wins() -> None:
    assert redact("a <private>b <private>c</private> d</private> e").text == "a [PRIVATE] e"
    assert redact("a <private>b [private]c[/private] d</private> e").text == "a [PRIVATE] e"


def test_crossing_sections_hide_both() -> None:
    assert redact("a <private>b [private]c</private> d[/private] e").text == "a [PRIVATE] e"


@pytest.mark.parametrize(
    "text",
    [
        "write `<private>x</private>` to hide x",
        "```\n<private>x</private>\n```",
        "~~~md\n<private>x</private>\n~~~\n",
        "``code ` <private>x</private>``",
        "> ```\n> <private>x</private>\n> ```",
    ],
)
def test_tags_in_code_are_literal(text: str) -> None:
    assert redact(text).text == text


def test_code_does_not_protect_what_follows_it() -> None:
    assert (
        redact("```\n<private>x</private>\n```\n<private>y</private>").text
        == "```\n<private>x</private>\n```\n[PRIVATE]"
    )


@pytest.mark.parametrize("inside", ["```", "```python", "~~~"])
def test_a_fence_is_closed_only_by_one_like_it(inside: str) -> None:
    text = f"````\n{inside}\n<private>shown as an example</private>\n````\n"
    assert redact(text).text == text
    assert redact(f"{text}<private>hidden</private>").text == f"{text}[PRIVATE]"


@pytest.mark.parametrize("code", ["`code`", "```\ncode\n```\n"])
def test_a_section_directly_behind_code_is_hidden(code: str) -> None:
    assert redact(f"{code}<private>hidden</private>").text == f"{code}[PRIVATE]"


def test_letters_that_grow_in_lower_case_move_no_section() -> None:
    assert redact(f"{'İ' * 30} <private>hidden</private> end").text == f"{'İ' * 30} [PRIVATE] end"


def test_a_fence_that_is_never_closed_protects_nothing() -> None:
    assert "y" not in redact("```\n<private>y</private>").text


def test_a_stray_backtick_in_a_section_does_not_open_it() -> None:
    assert redact("<private>a `b</private> and ` c").text == "[PRIVATE] and ` c"


def test_secrets_in_code_are_still_hidden() -> None:
    assert "hunter2" not in redact('```\npassword = "' + 'hunter2"\n```').text


def test_an_unclosed_tag_keeps_the_text_and_says_so() -> None:
    report = filter_text("a <private>b")
    assert (report.text, report.sections, report.unclosed) == ("a <private>b", 0, True)


def test_strict_hides_to_the_end() -> None:
    report = filter_text("a <private>x</private> b <private>c\nd", PrivacySettings(strict=True))
    assert (report.text, report.sections, report.unclosed) == ("a [PRIVATE] b [PRIVATE]", 2, True)


def test_a_closing_tag_alone_is_text() -> None:
    assert filter_text("a </private> b").unclosed is False
    assert redact("a </private> b").text == "a </private> b"


def test_an_unclosed_tag_does_not_expose_a_closed_one() -> None:
    report = filter_text("see <private>one\n<private>two</private>\nthree")
    assert report.text == "see <private>one\n[PRIVATE]\nthree"
    assert report.unclosed


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\n<private>\nb\n\nc", "a\n[PRIVATE]"),
        ("a\r\n  <!-- private -->  \r\nb", "a\r\n  [PRIVATE]"),
        ("a\n[private]\nb", "a\n[PRIVATE]"),
        ("a\n+# <private>\n+b", "a\n+# [PRIVATE]"),
        ("a\n /* <private> */\nb", "a\n /* [PRIVATE]"),
        ("\n <private>b\nc", "\n [PRIVATE]"),
        ("<private>", "<private>"),
    ],
)
def test_an_unclosed_tag_that_begins_a_section_hides_the_rest(text: str, kept: str) -> None:
    if text == "<private>":  # nothing is behind it
        kept = ""
    report = filter_text(text)
    assert (report.text, report.unclosed, redact(report.text).text) == (kept, True, kept)


@pytest.mark.parametrize(
    "text",
    [
        "put it between <private> and its end\nb",
        "`<private>`\nb",
        "a\n```\n<private>\n```\nb",
        "[private] a title\nb",
        'tags = [\n    "<private>",\n]',
        "a\n| <private> | hides |\nb",
    ],
)
def test_a_tag_that_is_mentioned_hides_nothing(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("marker", "expected"), [("[PRIVATE]", "a [PRIVATE] b"), ("[REDACTED]", "a [REDACTED] b"), ("", "a b")]
)
def test_markers(marker: str, expected: str) -> None:
    assert filter_text("a <private>x</private> b", PrivacySettings(marker=marker)).text == expected


def test_an_unknown_marker_is_refused() -> None:
    with pytest.raises(UsageError):
        PrivacySettings(marker="***")


def test_blank_sections_vanish_and_are_not_counted() -> None:
    report = filter_text("one\n<private>\n  \n</private>\ntwo")
    assert (report.text, report.sections) == ("one\ntwo", 0)


def test_an_empty_marker_takes_its_line_and_the_doubled_blank_line_along() -> None:
    settings = PrivacySettings(marker="")
    assert filter_text("one\n\n<private>\nx\n</private>\n\ntwo\n", settings).text == "one\n\ntwo\n"
    assert filter_text("one\n  <private>x</private>\ntwo\n", settings).text == "one\ntwo\n"


def test_other_spacing_is_left_alone() -> None:
    assert redact("a\n\n\n\nb   <private>x</private>  c\n\n\n").text == "a\n\n\n\nb   [PRIVATE]  c\n\n\n"


@pytest.mark.parametrize("marker", ["[PRIVATE]", ""])
def test_lines_can_be_preserved(marker: str) -> None:
    text = "one\n<private>\nx\ny\n</private>\ntwo"
    report = filter_text(text, PrivacySettings(marker=marker, preserve_lines=True))
    assert report.text.count("\n") == text.count("\n")
    assert report.text.split("\n")[-1] == "two"


def test_literal_placeholders_stay_what_they_are() -> None:
    text = "undefined {{private}} $1 \\1 %s [PRIVATE] [REDACTED]"
    assert redact(text).text == text


def test_statistics() -> None:
    text = "<private>a</private> <private>b</private> password=" + "hunter2hunter2"
    report = filter_text(text)
    assert (report.sections, report.patterns, report.unclosed) == (2, 1, False)


def test_a_secret_that_a_section_split_does_not_come_together() -> None:
    key = "AKIA", "Q3EGRIXJ7TYOKUTK"
    report = filter_text(f"{key[0]}<private>x</private>{key[1]}", PrivacySettings(marker=""))
    assert "".join(key) not in report.text


def test_names_of_people_are_hidden_only_when_asked() -> None:
    text = "mail bob@corp.kr about /home/bob/x and C:\\Users\\kim\\y, not git@github.com:a/b or a@example.com"
    assert redact(text).text == text
    report = filter_text(text, PrivacySettings(anonymize=True))
    assert "bob" not in report.text
    assert "kim" not in report.text
    assert "git@github.com:a/b or a@example.com" in report.text
