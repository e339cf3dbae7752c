"""Canonical keys, entity keys, artifact references and citation ids."""

from __future__ import annotations

import hashlib
import itertools
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text import keys


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("  Fix   the Login\tbug! ", "fix the login bug"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("C", "c"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("v1.2", "v1.2"),
        ("v12", "v12"),
        ("Use C++.", "use c++"),
        ("read snake_case and kebab-case", "read snake_case and kebab-case"),
        ("__init__ - setup", "__init__ setup"),
        ("Don't (ever) do a/b", "dont ever do ab"),
        ("로그인 버그 수정", "로그인 버그 수정"),
        (unicodedata.normalize("NFD", "로그인 버그"), "로그인 버그"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("#42 ... --", "42"),
        ("🔥!?", ""),
        ("", ""),
    ],
)
def test_canonical_key(title: str, key: str) -> None:
    assert keys.canonical_key(title) == key


def test_project_prefix_and_limit() -> None:
    assert keys.canonical_key("A b", "web") == "web::a b"
    long = keys.canonical_key("x" * 300, "web")
    full = "web::" + "x" * 300
    assert long == full[:191] + "_" + hashlib.md5(full.encode()).hexdigest()[:8]
    assert len(keys.canonical_key("x" * 200)) == 200 and "_" not in keys.canonical_key("x" * 200)
    assert keys.canonical_key("x" * 250 + "a") != keys.canonical_key("x" * 250 + "b")


@given(st.text())
def test_canonical_key_is_idempotent(title: str) -> None:
    key = keys.canonical_key(title)
    assert keys.canonical_key(key) == key
    assert len(key) <= 200 and key == key.strip() and "  " not in key


@given(st.text(alphabet="aB .-_+#한́", min_size=150, max_size=400))
def test_canonical_key_of_long_titles_is_idempotent(title: str) -> None:
    key = keys.canonical_key(title)
    assert keys.canonical_key(key) == key and len(key) <= 200


def test_entity_keys() -> None:
    assert keys.task_key("web", "Fix the login") == "task:web:fix-the-login"
    assert keys.condition_key("a:b", "API ready") == "cond:a%3Ab:api-ready"
    assert keys.task_key("a:b", "c") != keys.task_key("a%3Ab", "c")
    assert len(keys.task_key("web", "word " * 100)) == 200
    assert keys.slug("🔥") != keys.slug("🎉")


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("ABC-123", "art:jira:ABC-123"),
        ("Acme/Web.App#12", "art:gh_issue:acme/web.app:12"),
        ("https://github.com/acme/web/pull/9/files", "art:gh_issue:acme/web:9"),
        ("https://Example.com:443/a/../b/?utm_source=x&b=2&a=1#top",
         "art:url:" + hashlib.sha1(b"https://example.com/b?a=1&b=2").hexdigest()),
        ("The  vendor's ANSWER", "art:generic:" + hashlib.sha1(b"the vendors answer").hexdigest()),
    ],
)  # fmt: skip
def test_artifact_key(reference: str, key: str) -> None:
    assert keys.artifact_key(reference) == key


def test_find_artifacts_inside_a_sentence() -> None:
    text = "Wait for PROJ-7 (see https://example.org/wiki/A_(b)), then acme/web#3; UTF-8, SHA-256 and GPT-4 are fine."
    found = keys.find_artifacts(text)
    assert [text[a.start : a.end] for a in found] == ["PROJ-7", "https://example.org/wiki/A_(b)", "acme/web#3"]
    assert [a.kind for a in found] == ["jira", "url", "gh_issue"]


def test_korean_particles_do_not_hide_artifacts() -> None:
    text = "그래서 PROJ-7을 닫고 acme/web#3에서 https://example.org/길잡이/a.html을 보았다"
    found = keys.find_artifacts(text)
    assert [text[a.start : a.end] for a in found] == ["PROJ-7", "acme/web#3", "https://example.org/길잡이/a.html"]


@given(st.text(alphabet="htps:/.#-AB12 ()[]%한?=&@", max_size=60))
def test_find_artifacts_never_raises_or_overlaps(text: str) -> None:
    found = keys.find_artifacts("https://" + text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert keys.artifact_key(text).startswith("art:")


@pytest.mark.parametrize(
    "same",
    [
        ("http://a.example/x/", "HTTP://A.example:80/x"),
        ("https://a.example/%7Euser?q=%41", "https://a.example/~user?q=A"),
        ("https://me:pw@a.example/x#part", "https://a.example/x"),
        ("https://한국.example/길", "https://xn--3e0b707e.example/%EA%B8%B8"),
    ],
)
def test_one_address_has_one_spelling(same: tuple[str, str]) -> None:
    first, second = map(keys.normalize_url, same)
    assert first == second


@given(st.text(max_size=40))
def test_normalize_url_is_idempotent(tail: str) -> None:
    once = keys.normalize_url("https://example.org/" + tail)
    assert keys.normalize_url(once) == once


def test_citation_ids() -> None:
    first = keys.citation_id("event-1")
    assert first == keys.citation_id("event-1") and len(first) == 6 and first.isalnum()
    assert first != keys.citation_id("event-1", salt=1)
    assert keys.citation_id("event-1", length=8).startswith(first)
    assert len(keys.citation_id("event-1", length=80)) == 80


def test_citation_digits_are_unbiased() -> None:
    counts = Counter("".join(keys.citation_id(f"event-{i}") for i in range(10_000)))
    expected = 60_000 / 62
    chi_square = sum((counts[c] - expected) ** 2 / expected for c in keys.BASE62)
    assert chi_square < 110  # 61 degrees of freedom: 99.99% lie below; a plain `% 62` of the bytes gives over 300


def test_identifiers_are_numbers_that_somebody_gave_out() -> None:
    text = "CVE-2024-3094, SHA-256 and OPS-512, v-123 UTF-8 X1-12 ISO-8601 GPT-4 2024-11-02 ABC-12"
    assert keys.identifiers(text) == ["CVE-2024-3094", "OPS-512"]
