"""From words to blockers: artifacts, ids, titles, conditions; and which task a text means. English and Korean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples
from task_desk import Desk, finished

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.errors import UsageError
from graphmem.model.tasks import MatchResult, Task
from graphmem.tasks.match import weights
from graphmem.tasks.match.matcher import Matcher
from graphmem.tasks.match.terms import split_terms, stem_for_tasks
from graphmem.tasks.service import Tasks

KINDS = [
    ("https://ci.example.org/run/7", "artifact", "artifact"),
    ("see https://ci.example.org/run/7 first", "artifact", "artifact"),
    ("PROJ-12", "artifact", "artifact"),
    ("we need PROJ-12 merged", "artifact", "artifact"),
    ("acme/web#7", "artifact", "artifact"),
    ("https://github.com/acme/web/issues/7", "artifact", "artifact"),
    ("the UTF-8 decoder is written", "condition", "condition"),
    ("SHA-256 sums are checked", "condition", "condition"),
    ("GPT-4 answers again", "condition", "condition"),
    ("보안팀 승인", "condition", "condition"),
    ("T-17", "task", "task_id"),
    ("waits until T-17 is through", "task", "task_id"),
    ("#42", "task", "task_id"),
    ("task:demo:t-17", "task", "task_id"),
    ("Rewrite the tokenizer for Korean", "task", "title"),
    ("rewrite the TOKENIZER for korean!", "task", "title"),
    ("결제 모듈 리팩터링", "task", "title"),
]


@pytest.fixture
def stocked(tasks: Tasks) -> Tasks:
    tasks.create("Fold the map", ref="T-17")
    tasks.create("Count the sheep", ref="acme/farm#42")
    tasks.create("Rewrite the tokenizer for Korean")
    tasks.create("결제 모듈 리팩터링")
    return tasks


@pytest.mark.parametrize(("words", "kind", "label"), KINDS)
def test_words_resolve_in_order(stocked: Tasks, words: str, kind: str, label: str) -> None:
    task = stocked.create("Wait here", blocked_by=words)
    (ref,) = task.blocked_by
    assert (ref.kind, ref.label) == (kind, label)
    assert ref.confidence == {"condition": 0.5}.get(label, 1.0)
    assert len(stocked.find()) == 5  # never a stub


def test_one_sentence_can_name_several(stocked: Tasks) -> None:
    task = stocked.create("Wait", blocked_by="T-17, acme/web#9 and https://example.org/x")
    assert {ref.kind for ref in task.blocked_by} == {"task", "artifact"} and len(task.blocked_by) == 3


def test_a_spelling_of_an_address_is_one_artifact(tasks: Tasks) -> None:
    one = tasks.create("One", blocked_by="https://github.com/Acme/web/issues/7#note")
    two = tasks.create("Two", blocked_by="acme/web#7")
    assert one.blocked_by[0].id == two.blocked_by[0].id


def test_what_no_title_means_becomes_a_condition_with_candidates(stocked: Tasks) -> None:
    task = stocked.create("Wait", blocked_by="something with the tokenizer")
    (ref,) = task.blocked_by
    assert ref.kind == "condition" and len(ref.candidates) <= 5
    assert stocked.create("Wait longer", blocked_by="Something with the tokenizer!").blocked_by[0].id == ref.id


def test_a_task_does_not_block_itself(stocked: Tasks) -> None:
    with pytest.raises(UsageError, match="cannot wait for itself"):
        stocked.create("Sweep the yard", blocked_by="sweep the yard")


def test_finished_work_is_no_blocker_by_title(stocked: Tasks) -> None:
    done = finished(stocked, "Plant a tree")
    assert stocked.create("Rest", blocked_by="Plant a tree").blocked_by[0].id != done.id


MEANT = [
    ("Rewrite the tokenizer for Korean", "high"),
    ("the tokenizer rewrite for Korean is half way", "high"),
    ("결제 모듈 리팩터링을 끝내야 한다", "high"),
    ("결제 모듈 리팩터링이 남았다", "high"),
]


@pytest.fixture
def crowd(desk: Desk) -> Tasks:
    tasks = desk.open(embedder=WordLlamaEmbedder)
    titles = ["Rewrite the tokenizer for Korean", "결제 모듈 리팩터링", "Speed up the importer", "Write release notes",
              "Close idle connections", "로그인 화면 번역", "Cache compiled queries", "Drop support for old servers",
              "Sign the installer", "Test the restore path", "배포 스크립트 정리", "Document the wire format"]  # fmt: skip
    for number, title in enumerate(titles):
        tasks.create(title, ref=f"C-{number}", description=f"Part {number} of the plan. See C-{(number + 1) % 12}.")
    return tasks


@pytest.mark.parametrize(("text", "confidence"), MEANT)
def test_who_is_meant(crowd: Tasks, text: str, confidence: str) -> None:
    result = crowd.match(text)
    assert result.best is not None and result.confidence == confidence
    assert result.best.task.title in ("Rewrite the tokenizer for Korean", "결제 모듈 리팩터링")
    assert (
        result.best.score >= weights.SURE_SCORE + 0.05 * weights.AGREES
    )  # the score of a sure match grows with its evidence
    assert result.best.score - result.candidates[1].score >= 0.03


def test_what_means_nothing_says_so(crowd: Tasks) -> None:
    nothing = crowd.match("zebra crossing")
    assert nothing.confidence == "none" and nothing.candidates == ()
    assert crowd.match("").candidates == () and crowd.match("anything", k=0).candidates == ()


def test_ids_in_a_text_are_enough(crowd: Tasks) -> None:
    result = crowd.match("let us finish C-4 today")
    assert result.confidence == "high" and result.best is not None and result.best.ref == "C-4"
    both = crowd.match("C-4 or C-5")
    assert both.confidence == "suggested" and {each.ref for each in both.candidates[:2]} == {"C-4", "C-5"}


def test_the_source_is_struck_and_lends_its_context(crowd: Tasks) -> None:
    result = crowd.match("Speed up the importer", exclude=("C-2",))
    assert all(each.ref != "C-2" for each in result.candidates)
    scores = [each.score for each in result.candidates]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)


def test_a_text_that_begins_with_a_title_is_about_that_task(desk: Desk) -> None:
    tasks = desk.open()
    for title in ("Write notes", "Speed up the importer of chats", "Cache compiled queries", "Sign the installer"):
        tasks.create(title)
    others = "the importer of chats must speed up: speed up the importer of chats"
    result = tasks.match(f"Write notes: {others}")
    assert [each.task.title for each in result.candidates[:2]] == ["Write notes", "Speed up the importer of chats"]
    assert tasks.match(others).candidates[0].task.title == "Speed up the importer of chats"


def test_of_equal_evidence_open_work_comes_before_finished_work(desk: Desk) -> None:
    tasks = desk.open()
    finished(tasks, "Mend the gate in March")
    tasks.create("Mend the gate in April")
    tasks.create("Water the garden")
    found = tasks.match("mend the gate").candidates
    assert [each.task.title for each in found[:2]] == ["Mend the gate in April", "Mend the gate in March"]
    assert found[0].score > found[1].score


def test_an_order_of_creation_changes_no_answer(desk: Desk) -> None:
    titles = ["Mend the fence", "Mend the gate", "Paint the gate", "Water the garden"]
    forward, backward = desk.open("one"), desk.open("two")
    for title in titles:
        forward.create(title)
    for title in reversed(titles):
        backward.create(title)
    asked = "the gate wants mending"
    assert [c.task.title for c in forward.match(asked).candidates] == [
        c.task.title for c in backward.match(asked).candidates
    ]


def test_the_index_follows_changes(crowd: Tasks) -> None:
    task: Task = crowd.create("Grease the hinges")
    assert crowd.match("hinges need grease").best.task.id == task.id  # type: ignore[union-attr]
    crowd.update(task.id, title="Oil the doors")
    assert crowd.match("doors need oil").best.task.id == task.id  # type: ignore[union-attr]


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=300))
def test_terms_take_any_text(text: str) -> None:
    found = split_terms(text)
    assert all(found) and found == split_terms(text)


def test_terms_meet_across_forms() -> None:
    assert stem_for_tasks("migrations") == stem_for_tasks("migrate") and stem_for_tasks("fixes") == stem_for_tasks(
        "fixing"
    ) == stem_for_tasks("fix")
    assert set(split_terms("HttpRequest")) >= {"http", "request"} and "=src/a_b.py" not in split_terms("nothing")
    assert set(split_terms("모듈을")) & set(split_terms("모듈이"))


def test_one_name_of_two_tasks_is_not_sure(tasks: Tasks) -> None:
    tasks.create("Rewrite the lexer")
    tasks.create("Mend the scanner", aliases=["Rewrite the lexer", "Tame the parser"])
    tasks.create("Split the grammar", aliases=["Tame the parser"])
    assert tasks.match("Rewrite the lexer").confidence == "high"  # its title, and only an alias of the other
    assert tasks.match("Tame the parser").confidence == "suggested"  # an alias of both
    (ref,) = tasks.create("Wait", blocked_by="Rewrite the lexer").blocked_by
    assert ref.kind == "condition" and len(ref.candidates) >= 2  # too near each other to block by one of them


@pytest.mark.parametrize(("other", "sure"), [(0.0, True), (0.39, True), (0.41, False), (0.5, False)])
def test_a_match_is_sure_only_with_a_clear_margin(other: float, sure: bool) -> None:
    shares, agreement = np.array([0.9, 0.1]), np.array([0.5, other])
    assert Matcher._sure(shares, agreement, [0, 1]) is sure
    assert not Matcher._sure(np.array([0.7, 0.3]), agreement, [0, 1])
    assert not Matcher._sure(shares, agreement - 0.2, [0, 1])


def test_a_text_of_forty_words_names_a_task_by_id_and_a_longer_one_does_not(crowd: Tasks) -> None:
    words = ["zebra"] * 39
    assert crowd.match(" ".join([*words, "C-4"])).candidates[0].method == "id"
    assert "id" not in {each.method for each in crowd.match(" ".join([*words, "zebra", "C-4"])).candidates}


def test_five_candidates_are_returned_unless_asked_for_more(crowd: Tasks) -> None:
    text = "tokenizer importer notes connections queries servers installer restore"
    assert len(crowd.match(text).candidates) == 5 and len(crowd.match(text, k=7).candidates) == 7
    assert len(crowd.match(text, k=1).candidates) == 1


@pytest.mark.parametrize(("text", "k"), [("Speed up the importer", 0), ("Speed up the importer", -1), (" \n", 5)])
def test_a_request_for_nothing_is_answered_by_nothing(crowd: Tasks, text: str, k: int) -> None:
    assert crowd.match(text, k=k) == MatchResult("none")


def test_a_desk_without_tasks_matches_nothing(tasks: Tasks) -> None:
    assert tasks.match("Speed up the importer") == MatchResult("none")


def test_the_title_and_six_hundred_characters_of_a_description_are_embedded(desk: Desk) -> None:
    texts: list[str] = []

    class Recording(WordLlamaEmbedder):
        def embed(self, batch: Sequence[str]) -> np.ndarray:
            texts.extend(batch)
            return super().embed(batch)

    tasks = desk.open(embedder=Recording)
    tasks.create("Fold the map", description="y" * 601)
    tasks.match("fold it")
    assert texts == ["Fold the map\n" + "y" * 600, "fold it"]
    tasks.match("fold it again")
    assert texts[2:] == ["fold it again"]  # an unchanged task is not embedded again


def vocabulary(*idf: float) -> Any:
    """An index of one task with the first of these terms, of this information each."""
    words = SimpleNamespace(terms=np.array([0]))
    return SimpleNamespace(query=lambda text: list(range(len(idf))), idf=np.array(idf), ids=["a"], words={"a": words})


@pytest.mark.parametrize(
    ("idf", "share", "source", "confidence"),
    [
        ((1.0, 3.0), weights.LIKELY, None, "suggested"),  # a quarter of the information is found
        ((1.0, 3.01), weights.LIKELY, None, "none"),
        ((1.0, 3.01), weights.LIKELY, 0, "suggested"),  # the text comes from a task
        ((1.0, 3.0), weights.LIKELY - 0.001, 0, "none"),
        ((), 0.9, None, "none"),
        ((0.0,), 0.9, None, "none"),  # nothing of nothing is no quarter
    ],
)
def test_a_suggestion_needs_a_share_of_the_information(
    idf: tuple[float, ...], share: float, source: int | None, confidence: str
) -> None:
    assert Matcher._hint(vocabulary(*idf), "text", share, 0, source) == confidence


def test_the_limits_of_a_sure_match_belong_to_it() -> None:
    shares, agreement = np.array([weights.SURE, 0.1]), np.array([weights.AGREES, 0.0])
    assert Matcher._sure(shares, agreement, [0, 1])
    assert Matcher._sure(shares[:1], agreement[:1], [0])  # a single task has no rival
    assert not Matcher._sure(shares - 0.001, agreement, [0, 1])
    assert not Matcher._sure(shares, agreement - 0.001, [0, 1])


def test_the_thresholds_are_those_that_were_measured() -> None:
    assert (weights.SURE, weights.AGREES, weights.CLEAR) == (0.75, 0.33, 0.1)
    assert (weights.LIKELY, weights.HEARD, weights.EXACT, weights.ALIAS) == (0.1, 0.25, 1.0, 0.98)
    assert weights.UNSURE_SCORE < weights.SURE_SCORE < weights.ALIAS < weights.EXACT


def test_closed_and_duplicate_tasks_are_meant_less_often(tasks: Tasks) -> None:
    task = tasks.create("Mend the gate")
    assert weights.prior_weight(task) == 0.0
    assert weights.prior_weight(replace(task, status="in_progress")) == 0.1
    assert weights.prior_weight(replace(task, status="cancelled")) == -0.6
    assert weights.prior_weight(replace(task, status="done", duplicates=("other",))) == -1.1


def test_a_whole_task_is_no_sure_match_but_a_passage_is(crowd: Tasks) -> None:
    passage = "the tokenizer rewrite for Korean is half way"
    assert crowd.match(passage, exclude=("C-8",)).confidence == "high"
    assert crowd.match(f"Sign the installer: {passage}", exclude=("C-8",)).confidence == "suggested"  # and its title
    words = [f"alpha{number}" for number in range(38)]
    crowd.create("Count letters", description=" ".join(words))
    assert crowd.match(" ".join([passage, *words[1:]])).confidence == "high"  # forty known terms, three of the title
    assert crowd.match(" ".join([passage, *words])).confidence == "suggested"
