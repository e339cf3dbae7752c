"""The project's own questions: that paraphrases share no content word with their answer, and that Korean is found."""

from pathlib import Path

import pytest

from graphmem.bench.paraphrase import rows
from graphmem.text.words import content_words

DATA = Path(__file__).parents[3] / "fixtures" / "questions"
ROWS = list(rows(DATA))


def stems(text):
    return {word[:5] if word.isascii() else word[:2] for word in content_words(text)}


def test_there_are_enough_of_each():
    asked = [group for _, question, group in ROWS if question]
    assert sum("paraphrase" in group for group in asked) >= 200
    assert sum(group.startswith("Korean") for _, _, group in ROWS) >= 200
    assert sum(group in ("Korean lexical", "Korean mixed") for group in asked) >= 60


@pytest.mark.parametrize("memory, question", [row[:2] for row in ROWS if row[1] and "paraphrase" in row[2]])
def test_paraphrases_share_no_content_word(memory, question):
    assert not stems(memory) & stems(question)


def test_korean_questions_find_their_answer(memory):
    for number, (text, _, group) in enumerate(ROWS):
        if group.startswith("Korean"):
            memory.index.apply([], [memory_item(number, text)], [], {})
    asked = [
        (str(number), question)
        for number, (_, question, group) in enumerate(ROWS)
        if group in ("Korean lexical", "Korean mixed")
    ]
    found = [number in memory.ask(question, k=5) for number, question in asked]
    assert sum(found) / len(found) >= 0.9


def memory_item(number, text):
    from graphmem.model.changes import Item

    return Item(str(number), "fact", "", text, number, project="p", event=f"e{number}")
