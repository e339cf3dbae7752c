"""What reads questions, turns and sentences of strangers takes time in proportion to their length, whatever they repeat."""

from __future__ import annotations

import pytest
from support import assert_about_linear

from graphmem.ask.configuration import find_files
from graphmem.code.config_keys import read_config_keys
from graphmem.cognify.lasting import lasting_kind
from graphmem.retrieve.actions import asked_action, compare_actions
from graphmem.retrieve.asking import asked_kinds, asks_what_was_said
from graphmem.text.reports import closing_report, request_of
from graphmem.text.todolists import read_todo_call

KINDS = ("property", "rule", "cause", "decision", "fix", "change", "failure")


@pytest.mark.parametrize(
    "word", ["fixed ", "decided ", "no longer ", "which page ", "me ", "not a ", "__", "[", "it was lost; "]
)
@pytest.mark.parametrize("head", ["", "what is ", "where "])
def test_a_question_is_read_in_proportion_to_its_length(head: str, word: str) -> None:
    def read(times: int) -> None:
        text = head + word * times
        asked_kinds(text), asks_what_was_said(text), asked_action(text), compare_actions("add", text)

    assert_about_linear(read, 16_000, enough=0.3)


@pytest.mark.parametrize("word", ["<a>", "<a>x</b>", "\n", "** ", "ok, ", "all the ", "```\n", "<b"])
@pytest.mark.parametrize("head", ["", "Carry out this plan:"])
def test_a_turn_is_read_in_proportion_to_its_length(head: str, word: str) -> None:
    def read(times: int) -> None:
        request_of(head + word * times), closing_report(head + word * times, 70)

    assert_about_linear(read, 16_000, enough=0.5)


@pytest.mark.parametrize("sentence", ["it was lost ", "x ", "is ", "`a ", "a/", "was lost, "])
def test_a_sentence_is_judged_in_proportion_to_its_length(sentence: str) -> None:
    def judge(times: int) -> None:
        text = sentence * times
        for kind in KINDS:
            lasting_kind(kind, text, "assistant", (), None, text, text)

    assert_about_linear(judge, 16_000)


@pytest.mark.parametrize("ending", ["json", "yaml", "toml", "ini"])
@pytest.mark.parametrize("word", ["/* ", '"\\"', "'", " ", "{", '{"a":', "a = [\n", '"a"\n', "- "])
@pytest.mark.parametrize("head", ["", "a", "[", "a = ["])
def test_a_configuration_file_is_read_in_proportion_to_its_length(head: str, word: str, ending: str) -> None:
    assert_about_linear(lambda times: read_config_keys(f"x.{ending}", head + word * times), 16_000, enough=0.3)


@pytest.mark.parametrize("word", [" ", "a", "a.", "a/", "@", "[blocked by "])
def test_names_and_titles_are_read_in_proportion_to_their_length(word: str) -> None:
    def read(times: int) -> None:
        find_files(word * times), read_todo_call("TaskList", {}, f"#1 [pending] a{word * times}b")

    assert_about_linear(read, 16_000, enough=0.3)


def test_the_form_of_a_long_question_stands_at_either_end() -> None:
    report = "The pump stopped at noon and the log shows nothing of it. " * 40
    assert asked_kinds(f"Where is the valve closed? {report}") == ("symbol",)
    assert asked_kinds(f"{report}\n밸브를 닫는 함수는 어디 있나?") == ("symbol",)
