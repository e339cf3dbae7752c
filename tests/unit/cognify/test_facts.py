"""Atomic facts: what becomes one, in which words, with which evidence; and what does not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.cognify import cues, facts
from graphmem.cognify.amendments import is_correction
from graphmem.cognify.source import Source
from graphmem.cognify.statements import find_statements
from graphmem.model.events import Event

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)


def made(text: str, type_: str = "agent_response", **payload: Any) -> list[dict[str, Any]]:
    role = "user" if type_ == "user_prompt" else "assistant"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role, **payload})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return body["facts"] if body else []


def contents(text: str, type_: str = "agent_response") -> list[str]:
    return [fact["content"] for fact in made(text, type_)]


@pytest.mark.parametrize(
    "text",
    [
        "Let me read the parser in src/parse.py first.",
        "I'll fix `parse_line` now because the test fails.",
        "Should we always use `black` for formatting here?",
        "It probably fails because `cache.py` is never cleared.",
        "All 43 tests pass in `tests/test_parse.py` now.",
        "```python\nraise ValueError('always')\n```",
        "| `a.py` | is always slow |",
        "This fails because of the cache.",
        "They always break on Windows because of the encoding.",
        "The bug is caused by a wrong default.",
        "Now update `app.js` to use the new hook instead of the old one.",
        "테스트를 먼저 실행하겠습니다.",
        "그 파일은 반드시 수정해야 한다.",
        "",
    ],
)
def test_plans_questions_hedges_noise_and_dangling_words_are_no_facts(text: str) -> None:
    assert contents(text) == []


def test_what_a_pronoun_means_is_said() -> None:
    text = "`TokenStore` keeps sessions in memory. It must never write to disk."
    assert any(c.startswith("TokenStore must never") for c in contents(text))


def test_speakers_are_named_and_evidence_is_exact() -> None:
    text = "Hi!\n\n- **Note**: we decided to use SQLite instead of Postgres for the queue.\nI prefer tabs over spaces."
    decision, preference = made(text, "user_prompt")
    assert decision["content"] == "The team decided to use SQLite instead of Postgres for the queue."
    assert text[decision["start"] : decision["end"]].endswith("for the queue.")
    assert preference["content"] == "The user prefers tabs over spaces."
    assert (decision["kind"], preference["kind"]) == ("decision", "preference")
    assert {"SQLite", "Postgres"} <= {name for _, name in decision["entities"]}


def test_a_typographic_apostrophe_is_read_like_a_plain_one() -> None:
    assert contents("I\u2019ll fix `parse_line` now because the test fails.") == []
    assert contents("Don\u2019t push directly to main; the release branch is cut from develop.", "user_prompt") == [
        "Don't push directly to main; the release branch is cut from develop."
    ]


def test_relative_times_get_their_date() -> None:
    (fact,) = made("The nightly build failed yesterday because `libssl` is missing.")
    assert "yesterday (2026-03-08)" in fact["content"]
    assert fact["valid"] == -36 * 3600
    assert fact["outcome"] == "failure"


def test_korean_sentences_become_facts() -> None:
    found = contents(
        "큐 저장소로 SQLite를 사용하기로 결정했습니다. 로그 파일은 반드시 UTF-8로 저장해야 합니다.", "user_prompt"
    )
    assert len(found) == 2


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("Bumps [pytest](https://github.com/pytest-dev/pytest) from 3.7.3 to 3.7.4.", 0),
        ("Updates `actions/checkout` from 3.5.2 to 3.5.3", 0),
        ("- Update the timeout of `fetch_page` in src/net.py from 10 s to 30 s", 1),
    ],
)
def test_a_new_version_of_a_dependency_is_no_fact(body: str, kept: int) -> None:
    payload = {"hash": "c1", "subject": "Prepare the release", "body": body, "files": []}
    event = Event(1, "c", "commit_observed", 1, MONDAY, MONDAY, "o", "", "p", "", payload)
    (found,) = facts.derive([Source(event, "Commit", "commit:1", "commit:1")])
    assert len((found or {"facts": []})["facts"]) == kept


def test_commits_tell_changes_and_causes_but_not_their_subject_again() -> None:
    body = "- Add a retry to `fetch_page` in src/net.py\n\nThe client crashed because the socket was closed."
    event = Event(1, "c", "commit_observed", 1, MONDAY, MONDAY, "o", "", "p", "",
                  {"subject": "fix(net): add a retry to the client", "body": body, "files": [{"path": "src/net.py"}]})  # fmt: skip
    (found,) = facts.derive([Source(event, "Commit", "commit:1", "commit:1")])
    assert found is not None
    change, cause = found["facts"]
    assert (change["kind"], change["files"], change["intent"]) == ("change", ["src/net.py"], "fix")
    assert (cause["kind"], cause["outcome"]) == ("cause", "failure")
    text = facts.text_of(event)
    assert text[cause["start"] : cause["end"]] == cause["content"]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from(["It", "`run`", "always", "fails", "because", "the bug", "we", "decided to", "use", "SQLite", "그것은", "반드시", ".", "\n", "🙂", "they", "must"]), max_size=25).map(" ".join))  # fmt: skip
def test_no_fact_dangles_and_every_span_is_in_the_text(text: str) -> None:
    for fact in made(text):
        assert 0 <= fact["start"] < fact["end"] <= len(text)
        assert not cues.VAGUE_REFERENCE.search(fact["content"])
        assert not text[fact["start"] : fact["end"]].isspace()


def test_what_says_the_same_has_the_same_key() -> None:
    assert facts.key_of("The parser fails on empty lines.") == facts.key_of("the parser failed on empty lines")
    assert facts.key_of("The parser fails on empty lines") != facts.key_of("The lexer fails on empty lines")


@pytest.mark.parametrize(("said", "kept"), [
    ("We decided that the deploy never runs on Fridays; remember it.", "We decided that the deploy never runs on Fridays."),
    ("배포는 금요일에 하지 않기로 결정했다, 기억해줘.", "배포는 금요일에 하지 않기로 결정했다."),
])  # fmt: skip
def test_a_word_to_the_memory_is_no_part_of_a_decision(said: str, kept: str) -> None:
    assert [found.content for found in find_statements(said)] == [kept]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "No, not 1024. Use 4096 bytes, counted after encoding, because passphrases are long.",
            "Not 1024: use 4096 bytes, counted after encoding, because passphrases are long.",
        ),
        ("Not Redis. Use Postgres for the sessions.", "Not Redis: use Postgres for the sessions."),
        ("No, use 4096 bytes, counted after encoding.", "Use 4096 bytes, counted after encoding."),
        (
            "Legal asked us to raise the retention of raw events to 90 days.",
            "Legal asked the team to raise the retention of raw events to 90 days.",
        ),
    ],
)
def test_what_a_person_chooses_in_place_of_a_proposal_is_a_decision(text: str, fact: str) -> None:
    found = [one for one in made(text, "user_prompt") if not is_correction(one)]
    assert [(one["kind"], one["content"]) for one in found] == [("decision", fact)]


@pytest.mark.parametrize("text", ["No, use the other file.", "Not now. Use it later.", "Not that. Use it again."])
def test_what_is_chosen_for_the_work_at_hand_is_no_decision(text: str) -> None:
    assert made(text, "user_prompt") == []


def test_the_kind_of_a_fact_is_of_the_part_that_is_kept() -> None:
    text = (
        "Done: passwords are limited to 4096 bytes after encoding (MAX_PASSWORD_BYTES in security.py); longer ones raise ValueError."
        " The test failed first because of an off-by-one error (`>=` instead of `>`), which is fixed."
        " Still open: documenting the limit in docs/utils.rst."
    )
    assert [fact["kind"] for fact in made(text)] == ["property"]


def test_what_a_bot_quotes_in_a_commit_is_no_fact() -> None:
    body = "Release notes: `--color` is correctly applied to logging too. The flag `--kill` was removed because it never worked."
    commit = {"subject": "chore(deps): update dependency esbuild to v0.18", "body": body, "hash": "a" * 40, "files": []}
    assert made("", "commit_observed", author="renovate[bot]", email="b@example.org", **commit) == []
    assert made("", "commit_observed", author="Ada Abbot", email="a@example.org", **commit) != []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The owner of team 2 is Jun.", "The owner of team 2 is Jun."),
        ("교육실 1 은 화요일에 쓴다.", "교육실 1 은 화요일에 쓴다."),
        ("The owner of team 3 is May.", "The owner of team 3 is May."),
        ("Jan owns the deploy scripts.", "Jan owns the deploy scripts."),
        ("The reviewer of the parser is Mar.", "The reviewer of the parser is Mar."),
        ("백업은 일요일에 돈다.", "백업은 일요일에 돈다."),
        ("Backups run on Sunday at 02:00.", "Backups run on Sunday at 02:00."),
        ("정기 회의는 월요일 오전 10시야.", "정기 회의는 월요일 오전 10시야."),
        ("The beta of the importer starts in June.", "The beta of the importer starts in June (2026-06)."),
    ],
)
def test_persons_and_weekly_habits_get_no_date(text: str, fact: str) -> None:
    assert contents(text, "user_prompt") == [fact]


def test_a_korean_sentence_may_open_with_a_name() -> None:
    said = "commit it. commit 메시지는 conventional commits 로, 항상 영어로 써."
    assert contents(said, "user_prompt") == ["commit 메시지는 conventional commits 로, 항상 영어로 써."]


def test_what_is_yours_in_a_rule_is_of_whoever_reads_it() -> None:
    assert contents("Please always sign your commits.", "user_prompt") == ["Please always sign commits."]
