"""What a question says was done, and what commits say that they do."""

import pytest

from graphmem.retrieve.actions import asked_action, compare_actions


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("Who added the oven that stops by itself?", "add"),
        ("When was the wood oven introduced?", "add"),
        ("When did the bakery stop baking at night?", "remove"),
        ("Why are raisins no longer sold?", "remove"),
        ("Why were raisins taken out of the recipe?", "remove"),
        ("When did we give up on the second shop?", "remove"),
        ("Why was the smaller loaf taken back?", "revert"),
        ("Who undid the removal of raisins?", "revert"),
        ("When did raisins disappear?", "remove"),
        ("Who came up with the rye bread?", "add"),
        ("건포도를 없앤 이유는?", "remove"),
        ("호밀빵은 언제 추가됐나요?", "add"),
        ("가격 인상을 되돌린 커밋은 무엇인가요?", "revert"),
        ("장작 오븐은 언제 끝났나요?", "remove"),
        ("호밀빵이 들어간 건 언제인가요?", "add"),
        ("since which version does the oven stand by itself?", "add"),
        ("Who ported the recipe?", "add"),
        ("How warm is the oven?", ""),
    ],
)
def test_a_question_says_what_was_done(question, action):
    assert asked_action(question) == action


@pytest.mark.parametrize(
    ("asked", "title", "signal"),
    [
        ("add", "feat(oven): steam", "same_action"),
        ("add", "Add rye bread", "same_action"),
        ("add", "Add tests for rye bread", "maintenance"),
        ("add", "docs: describe rye bread", "maintenance"),
        ("add", 'Revert "Add rye bread"', "opposite_action"),
        ("remove", "Bake with gas rather than wood", "same_action"),
        ("remove", "Add a wood oven", "opposite_action"),
        ("revert", 'Revert "Add rye bread"', "same_action"),
        ("revert", "Add rye bread", "opposite_action"),
        ("add", "Rye bread", ""),
        ("", "Add rye bread", ""),
    ],
)
def test_a_commit_does_what_was_asked_or_not(asked, title, signal):
    assert [name for name, value in compare_actions(asked, title).items() if value] == ([signal] if signal else [])
