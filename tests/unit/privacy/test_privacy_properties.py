"""Properties that hold for every text: spans are sorted, disjoint and within it, redaction is complete and idempotent,
masking loses no key, and nothing takes longer than linear time."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_about_linear, examples, processor_seconds

from graphmem.privacy import PrivacySettings, are_clean, filter_text, mask_values, names, redact, redact_each
from graphmem.privacy.names import secrecy_of
from graphmem.privacy.rules import RULES
from graphmem.privacy.tags import TAG, find_tags

SECRET = "gh" + "p_" + "k3Zx9QmW7bRt5Yv2Nc8Lp4Hs6Df1Gj0AeUiO"
PIECES = st.sampled_from(
    [
        "password",
        "=",
        ":",
        " ",
        "\n",
        '"',
        "'",
        "token",
        "key",
        "비밀번호",
        "🎉",
        "<private>",
        "</private>",
        "<private ",
        "reason=",
        ">",
        "</private\n>",
        "[private]",
        "[/private]",
        "[PRIVATE]",
        "[/PRIVATE]",
        "<!-- private -->",
        "<!-- /private -->",
        "`",
        "```",
        "\n```\n",
        SECRET,
        "AKIA" + "Q3EGRIXJ7TYOKUTK",
        "s3cr" + "3t&Val9",
        "[REDACTED:password]",
        "[REDACTED]",
        "://",
        "a:b@",
        "Bearer ",
        "&",
        ",",
        "\\n",
        "\\",
        "İ",
        "x" * 40,
        "-----BEGIN PRIVATE " + "KEY-----",
        "-----END PRIVATE " + "KEY-----",
        "eyJ",
        ".",
        "--token ",
        "curl -u ",
        "{",
        "}",
        "(",
        ")",
        "=" * 3,
        "\r\n",
        "a1B2c3D4e5F6g7H8",
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=24).map("".join))
RUNS = settings(deadline=None, max_examples=examples(200))  # a busy machine is no failure
SETTINGS = st.builds(
    PrivacySettings,
    marker=st.sampled_from(["[PRIVATE]", "[REDACTED]", ""]),
    strict=st.booleans(),
    preserve_lines=st.booleans(),
    anonymize=st.booleans(),
)


@RUNS
@given(TEXTS, SETTINGS)
def test_spans_are_sorted_disjoint_and_within_the_text(text: str, chosen: PrivacySettings) -> None:
    spans = filter_text(text, chosen).spans
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))


@RUNS
@given(TEXTS)
def test_redaction_is_idempotent(text: str) -> None:
    once = redact(text).text
    again = redact(once)
    assert again.spans == ()
    assert again.text == once


@RUNS
@given(TEXTS.filter(lambda text: "private" not in text.lower()))
def test_what_is_between_spans_is_kept(text: str) -> None:
    result = redact(text)
    pieces = []
    at = 0
    for span in result.spans:
        pieces += [text[at : span.start], f"[REDACTED:{span.kind}]"]
        at = span.end
    assert result.text == "".join(pieces) + text[at:]


@RUNS
@given(TEXTS)
def test_the_quick_look_for_tags_sees_all(text: str) -> None:
    assert [match.span() for match in find_tags(text)] == [match.span() for match in re.finditer(TAG, text)]


@RUNS
@given(st.lists(TEXTS, max_size=12), SETTINGS)
def test_texts_looked_at_together_hide_nothing_from_a_closer_look(texts: list[str], chosen: PrivacySettings) -> None:
    alone = [filter_text(text, chosen) for text in texts]
    for clean, report in zip(are_clean(texts, chosen), alone, strict=True):
        assert not (clean and (report.spans or report.unclosed))
    assert redact_each(texts) == [redact(text).text for text in texts]


@RUNS
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_token_is_hidden_in_any_surroundings(before: str, after: str) -> None:
    text = f"{before} {SECRET} {after}"
    result = redact(text)
    at = len(before) + 1
    assert SECRET not in result.text
    assert any(span.start <= at and at + len(SECRET) <= span.end for span in result.spans)


@RUNS
@given(st.text("가나다라🎉é漢\n ", max_size=40))
def test_offsets_count_characters_of_the_original(before: str) -> None:
    result = redact(before + SECRET)
    assert [(span.start, span.end) for span in result.spans] == [(len(before), len(before) + len(SECRET))]


@RUNS
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=20,
    )
)
def test_masking_keeps_the_shape_and_is_idempotent(value: object) -> None:
    masked = mask_values(value)
    assert mask_values(masked) == masked
    assert type(masked) is type(value)


@RUNS
@given(st.text(max_size=80))
def test_every_name_has_a_level(name: str) -> None:
    assert 0 <= secrecy_of(name).level <= 3


def test_lone_surrogates_hide_nothing() -> None:
    text = f"\udce9 {SECRET} \ud800"
    assert SECRET not in redact(text).text and redact(text).text.startswith("\udce9")


def test_long_texts_find_the_same_as_short_ones() -> None:
    text = f'password = "{"s3cr" + "3t&Val9"}" {SECRET} xo' + "xb-123456789012-123456789012-aB3dE5gH7jK9mN1pQ2rS4tU6\n"
    long = text + "plain words and code = call(1)\n" * 5_000
    assert redact(long).spans == redact(text).spans


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "A",
        "key=",
        "key",
        "password: ",
        "sk-",
        "eyJ-",
        "://",
        "http://a:",
        "<private>",
        "</private>",
        "<private></private>",
        "<private a=",
        "<private a=b ",
        "<private    ",
        "<private> </private>\n",
        "` `` ",
        "Q~",
        "curl -u ",
        "-----BEGIN PRIVATE " + "KEY-----",
        "비밀번호 ",
        '"token":"',
        "pw\t",
        "name=token value=",
        "<key ",
        "UFJJVkFURSBLRV",
        "password=",
        "key:",
        "key ",
        "ghp_",
        "sk-ant-a-",
        'api_key="',
        "secret='",
        "the password is ",
        "비밀번호는 ",
        "\x1b[1m",
        "\\\n",
        "datadog = ",
        "xoxb-1234567-",
        "AKIA",
        "\n",
        "'",
        "https://a:",
    ],
)
def test_no_text_takes_forever(piece: str) -> None:
    def work(size: int) -> None:
        names.secrecy_of.cache_clear()
        redact(piece * (size // len(piece)))

    assert_about_linear(work, 100_000)


@pytest.mark.parametrize(
    "before", ['password = "my-', "password=change ", "the token is the-", "비밀번호는 ", "-----BEGIN ", "x://a:"]
)
@pytest.mark.parametrize("run", ["a", "ab ", "a-", "A1", "=", "\\\\", "(", " ", "_", "x.", "a/", "'", "a=b&"])
def test_no_value_takes_forever(before: str, run: str) -> None:
    for size in (30, 60, 250, 3_000):  # what is exponential in the run never ends
        text = before + run * size + '0"'
        assert processor_seconds(lambda text=text: redact(text), enough=1) < 10


def test_every_rule_is_sound() -> None:
    from graphmem.privacy.judge import CHECKS

    for rule in RULES:
        assert rule.check in CHECKS
        assert rule.kind == rule.kind.lower() and rule.kind.replace("_", "").isalnum()
        assert rule.anchors and all(rule.anchors)


def test_importing_compiles_nothing() -> None:
    code = "import sys, graphmem.privacy; print([m for m in sys.modules if m.startswith('graphmem.privacy.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
