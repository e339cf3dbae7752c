"""What is worth keeping of what was said: things that last, not moods, plans, praise, scraps or what was pasted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from graphmem.cognify import facts
from graphmem.cognify.source import Source
from graphmem.cognify.worth import Tag, is_sentence, pasted_spans
from graphmem.model.events import Event

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)
AGENT, PERSON = "agent_response", "user_prompt"


def made(text: str, type_: str = AGENT, **payload: Any) -> list[dict[str, Any]]:
    role = "user" if type_ == PERSON else "assistant"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role, **payload})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return body["facts"] if body else []


def contents(text: str, type_: str = AGENT) -> list[str]:
    return [fact["content"] for fact in made(text, type_)]


@pytest.mark.parametrize(
    "text",
    [
        "Hey Tom, I was just looking at `queue.py` and its `drain` method.",
        "I noticed `drain` was a bit slow with a large `Queue`.",
        "I'm swamped with the release and the `docs` rewrite.",
        "The new `Queue` API is a really nice improvement over `list`.",
        "Wow, the `Queue` rewrite is such a big win!",
        "Always up for a good `make` joke.",
        "Thanks for the support with `docker` and the patience.",
        "Having `mypy` on our side must be a wonderful feeling.",
    ],
)
def test_small_talk_of_a_person_is_no_fact(text: str) -> None:
    assert contents(text, PERSON) == []


@pytest.mark.parametrize(
    "text",
    [
        "I have now a complete picture of `src/queue.py` and its callers.",
        "My assumption about `Queue.drain` was based on the old tests.",
        "`src/queue.py` is still failing because `drain` needs formatting.",
        "There are changes to `queue.py` that aren't committed.",
        "The best approach is to use `deque` instead of `list`.",
        "Dropping `list` would simplify the `drain` method in `queue.py`.",
        "Remembers what `Queue` items were taken before the crash",
        "After `drain` runs and empties the `Queue`",
        "Watch mode support for `vite` development",
        "Cons: Requires a system-wide `node` installation",
        "Step 2: `Queue` uses the new index and the old tests",
        "- \u274c `git config core.autostage true` works in one clone only",
        "Always return exit code 1 from `check.sh` if it fixed anything",
        "Why the Cache of `Queue` Is Empty",
        'The error that `npm install` prints is: "the lockfile is not in sync.',
    ],
)
def test_narration_plans_and_scraps_of_an_agent_are_no_facts(text: str) -> None:
    assert contents(text) == []


def test_what_a_program_printed_is_not_said() -> None:
    text = "The run says:\n\nE       assert queue is not None, `q.py` has it\n\n>       assert q.size() is `None`\n"
    assert contents(text, PERSON) == []


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        (
            "The issue is that `drain()` skips items without a key.",
            "cause",
            "`drain()` skips items without a key.",
        ),
        (
            "It turns out that Docker ignores `PATH` in the entry point.",
            "property",
            "Docker ignores `PATH` in the entry point.",
        ),
        (
            "`git` runs from your terminal, which has no `PATH` to `node`.",
            "property",
            "`git` runs from the user's terminal, which has no `PATH` to `node`.",
        ),
        ("We ended up using `deque` for the queue.", "decision", "The team ended up using `deque` for the queue."),
        (
            "`tox` bypasses the linter and calls `pytest` directly.",
            "property",
            "`tox` bypasses the linter and calls `pytest` directly.",
        ),
    ],
)
def test_what_an_agent_found_out_is_kept(text: str, kind: str, content: str) -> None:
    assert [(fact["kind"], fact["content"]) for fact in made(text)] == [(kind, content)]


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        (
            "Please always run the specs with `--strict` before you commit.",
            "rule",
            "Please always run the specs with `--strict` before the agent commits.",
        ),
        ("Don't use git add -A, stage files by name.", "rule", "Don't use git add -A, stage files by name."),
        (
            "I dislike you adding comments to `setup.cfg`.",
            "preference",
            "The user dislikes the agent adding comments to `setup.cfg`.",
        ),
        ("I still want ruff on the specs.", "preference", "The user still wants ruff on the specs."),
        ("We need `uv` for the build.", "property", "The team needs `uv` for the build."),
        (
            "Then we decided: the harbour log rotates at 80 MB, because 40 MB filled twice a day.",
            "decision",
            "The harbour log rotates at 80 MB, because 40 MB filled twice a day.",
        ),
        ("Never moor the ferry on Monday.", "rule", "Never moor the ferry on Monday."),
        ("항구 배포는 금요일에 하지 않기로 결정했다.", "decision", "항구 배포는 금요일에 하지 않기로 결정했다."),
    ],
)
def test_what_a_person_orders_or_wants_is_kept(text: str, kind: str, content: str) -> None:
    assert [(fact["kind"], fact["content"]) for fact in made(text, PERSON)] in ([(kind, content)], [])[
        : 1 if kind != "property" else 2
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("`Parser.read` is always a `Token` (never null).", "property"),
        ("Pre-commit detects the tab in `Makefile` and it is fixed by `make fmt` later.", "fix"),
        ("A fixed-size `Ring` holds the events of `log.py`.", "property"),
        ("The model was automatically switched from `pro` to `flash` by the server.", "property"),
        ("The refactoring of `queue.py` doesn't have to be listed in `TODO.md`.", "property"),
    ],
)
def test_kinds_follow_what_the_words_do(text: str, kind: str) -> None:
    assert {fact["kind"] for fact in made(text)} <= {kind}


def test_a_demonstrative_is_not_taken_for_the_thing_named_before() -> None:
    text = "We moved the sync to `iCloud`. This is a case that `list_books` needs to handle."
    assert not [content for content in contents(text) if "case" in content]


def test_pasted_documents_say_nothing_of_their_own() -> None:
    lines = "\n".join(f"- **Point {n}**: `module{n}.py` must never import `core{n}.py` directly." for n in range(40))
    text = f"Please read these notes of another team.\n\n# Notes\n{lines}\n\nNever commit to `main` directly."
    ((begin, end),) = pasted_spans(text)
    assert "Point 3" in text[begin:end]
    assert contents(text, PERSON) == ["Never commit to `main` directly."]
    assert pasted_spans("Short.\n\n- one\n- two") == []


@pytest.mark.parametrize(
    ("tags", "holds"),
    [
        ([("Queue", "NN"), ("drops", "VBZ"), ("items", "NNS")], True),
        ([("Drops", "VBZ"), ("items", "NNS")], False),
        ([("mode", "NN"), ("support", "VBP"), ("for", "IN"), ("vite", "NN")], False),
        ([("modes", "NNS"), ("support", "VBP"), ("vite", "NN")], True),
        ([("things", "NNS"), ("that", "WDT"), ("run", "VBP")], False),
        ([("things", "NNS"), ("that", "WDT"), ("run", "VBP"), ("stop", "VBP")], True),
        ([("Queue", "NN"), ("would", "MD"), ("stop", "VB")], False),
        ([], True),
    ],
)
def test_a_sentence_has_a_subject_and_tells_a_fact(tags: list[tuple[str, str]], holds: bool) -> None:
    content = " ".join(word for word, _ in tags) or "Anything"
    assert is_sentence(content, [Tag(*tag) for tag in tags]) is holds


def test_subjects_are_noun_phrases() -> None:
    found = {fact["content"][:12]: fact.get("subject", "") for fact in made(
        "The error the user gets is in `cli.py`. Locally when the team runs `make`, `make` uses `cc`."
        " `Queue` must fundamentally be empty before `redis` stops."
    )}  # fmt: skip
    assert not any(" the user" in subject or subject.startswith(("Locally", "then")) for subject in found.values())
    assert "Queue" in found.values()


@pytest.mark.parametrize("text", ["Our editor is Ocean Text.", "We support Harbour Explorer 11."])
def test_a_sentence_that_ends_in_capital_words_is_no_heading(text: str) -> None:
    assert len(contents(text, PERSON)) == 1
