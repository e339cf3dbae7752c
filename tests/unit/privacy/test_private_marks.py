"""Private marks at the edges of their rules: which tag closes which, what an unclosed one hides, what stays literal."""

from __future__ import annotations

import pytest

from graphmem.privacy import PRIVATE, filter_text, hollowed_parts, redact, strip_private_sections
from graphmem.privacy.tags import Section, find_tags, has_tags, private_sections


def sections(text: str, *, strict: bool = False) -> list[tuple[int, int, str]]:
    return [tuple(section) for section in private_sections(text, strict=strict).sections]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<private>", "</private>"),
        ("<PRIVATE>", "</Private >"),
        ("<private reason='x' a=b c=\"d\">", "</private\n>"),
        ("[private]", "[/private]"),
        ("<!-- private -->", "<!-- /private -->"),
        ("<!--private-->", "<!--/private-->"),
        ("<!--         private         -->", "<!--         /private         -->"),
    ],
)
def test_a_section_is_exactly_what_its_tags_enclose(opening: str, closing: str) -> None:
    text = f"a {opening}b{closing} c"
    assert sections(text) == [(2, len(text) - 2, "b")]
    assert [match[0] for match in find_tags(text)] == [opening, closing]
    assert redact(text).text == "a [PRIVATE] c"


@pytest.mark.parametrize(
    "text", ["private", "<privateer>x</privateer>", "<privat>", "[privates]", "<!-- private", "private>"]
)
def test_a_word_is_no_tag(text: str) -> None:
    assert not has_tags(text) and sections(text) == []


def test_tags_of_one_syntax_close_each_other_only() -> None:
    assert sections("a <private>b[/private] c") == []
    assert sections("a <private>b[/private]c</private> d") == [(2, 33, "b[/private]c")]


def test_of_nested_sections_the_outermost_is_hidden_and_overlapping_ones_are_one() -> None:
    nested = "x <private>a<private>b</private>c</private> y"
    assert [text[0:2] for text in sections(nested)] == [(2, len(nested) - 2)]
    crossed = "x <private>a[private]b</private>c[/private] y"
    assert [text[0:2] for text in sections(crossed)] == [(2, len(crossed) - 2)]
    inner = "x [private]a<private>b</private>c[/private] y <private>d</private>"
    assert redact(inner).text == "x [PRIVATE] y [PRIVATE]"


def test_neighbours_stay_two_sections() -> None:
    text = "<private>a</private><private>b</private>"
    assert sections(text) == [(0, 20, "a"), (20, 40, "b")] and filter_text(text).sections == 2


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("<private>rest", True),
        ("  \n <private> rest", True),
        ("a\n<private>\nrest", True),
        ("> <private>\nrest", True),
        ("a\n// <private>\nrest", True),
        ("a\n<private>\r\nrest", True),
        ("a\n# <private> -->", True),
        ("a\n<private> rest", False),
        ("a <private>\nrest", False),
        ("a <private> rest", False),
        ("[private] rest", False),
        ("a\n[private]\nrest", True),
    ],
)
def test_an_unclosed_tag_hides_the_rest_where_it_begins_a_section(text: str, hides: bool) -> None:
    marked = private_sections(text)
    assert len(marked.unclosed) == 1 and bool(marked.sections) is hides
    assert [section.end for section in marked.sections] == [len(text)] * hides
    assert [section.end for section in private_sections(text, strict=True).sections] == [len(text)]


def test_an_unclosed_tag_ends_nothing_before_it_and_is_told_once() -> None:
    text = "<private>a</private> b\n<private>\nc [private]d[/private] <private>"
    marked = private_sections(text)
    assert marked.sections[0] == Section(0, 20, "a")
    assert marked.sections[1] == Section(23, len(text), text[32:]) and len(marked.sections) == 2
    assert marked.unclosed == (23, text.rindex("<private>"))
    report = filter_text(text)
    assert report.unclosed and report.text == "[PRIVATE] b\n[PRIVATE]"


def test_an_unclosed_tag_within_a_section_is_none() -> None:
    marked = private_sections("<private>a [private] b</private> c")
    assert marked.unclosed == () and len(marked.sections) == 1


@pytest.mark.parametrize(
    "text",
    [
        "write `<private>a</private>` here",
        "``<private>`` and ``</private>``",
        "```\n<private>\na\n</private>\n```\n",
        "~~~ md\n<private>a</private>\n~~~\n",
        "> ```\n> <private>a</private>\n> ```\n",
        "````\n```\n<private>a</private>\n````\n",
    ],
)
def test_tags_in_code_are_literal(text: str) -> None:
    assert has_tags(text) and sections(text) == [] and redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "`a\n<private>secret</private>\nb`",
        "`` ` <private>secret</private>",
        "```\ncode\n<private>secret</private>",
        "```\na\n```\n<private>secret</private>\n```\nb\n```\n",
        "``` a`b\n<private>secret</private>\n```",
        "<private>secret ` </private> `",
        "```\na\n``` b\n```\n<private>secret</private>\n",
    ],
)
def test_what_only_looks_like_code_hides_nothing_from_the_tags(text: str) -> None:
    assert "secret" not in redact(text).text


def test_markers_in_capitals_are_no_open_section() -> None:
    assert private_sections("[PRIVATE] rest").unclosed == ()
    assert sections("[PRIVATE] a [/private] b") == []
    assert sections("[PRIVATE]a[/PRIVATE]") == [(0, 20, "a")]


def test_letters_that_grow_in_lower_case_move_no_tag() -> None:
    text = "İİİ <private>a</private> İ"
    assert sections(text) == [(4, 24, "a")]


def test_stripping_leaves_the_lines_and_a_trace() -> None:
    assert strip_private_sections("a\n<private>b\nc</private>\nd") == "a\n<private>-</private>\n\nd"
    assert strip_private_sections("a <private> \n </private> b") == "a <private> \n </private> b"
    assert strip_private_sections("a <private>rest", strict=True) == "a <private>-</private>"
    assert strip_private_sections("a <private>rest") == "a <private>rest"
    parts = ["a <private>b", "c\nd</private> e", "f"]
    assert hollowed_parts(parts) == ["a <private>-</private>", "\n e", "f"]


def test_spans_of_sections_are_of_their_own_kind() -> None:
    text = "a <private>b</private> c <private> </private>"
    report = filter_text(text)
    assert [(span.kind, text[span.start : span.end].strip()) for span in report.spans] == [
        (PRIVATE, "<private>b</private>"),
        (PRIVATE, "<private> </private>"),
    ]
    assert report.sections == 1 and report.patterns == 0
