"""Which commit changed which symbol, against random histories whose truth is known."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.model.code import Symbol
from graphmem.model.sources import Hunk
from graphmem.projections.line_ranges import FileChange, symbol_changes

_ACTIONS = st.lists(
    st.tuples(st.sampled_from(["add", "edit", "insert", "delete"]), st.integers(0, 10**6)), min_size=1, max_size=40
)


def hunks(before: list[str], after: list[str]) -> tuple[Hunk, ...]:
    """As `git diff -U0` would say it, by difflib."""
    import difflib

    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(Hunk(a + (b > a), b - a, c + (d > c), d - c))
    return tuple(found)


@settings(max_examples=examples(60), deadline=None)
@given(_ACTIONS)
def test_every_change_is_found_and_carried_to_todays_symbols(actions: list[tuple[str, int]]) -> None:
    bodies: dict[str, list[str]] = {}
    order: list[str] = []
    commits: list[tuple[str, list[FileChange]]] = []
    truth: dict[str, str] = {}
    text: list[str] = []
    for number, (action, choice) in enumerate(actions):
        name = order[choice % len(order)] if order else ""
        if action == "add" or not order:
            name = f"f{number}"
            order.insert(choice % (len(order) + 1), name)
            bodies[name] = [f"def {name}():", f"  {name} {number}", f"  {name} {number} end"]
        elif action == "edit":
            bodies[name][1 + choice % (len(bodies[name]) - 1)] = f"  {name} edited {number}"
        elif action == "insert":
            bodies[name].insert(1 + choice % (len(bodies[name]) - 1), f"  {name} inserted {number}")
        elif len(order) > 1:
            order.remove(name)
        after = [line for each in order for line in (*bodies[each], f"# after {each}")]
        commits.append((str(number), [FileChange("a.py", "M" if text else "A", "", hunks(text, after))]))
        truth[str(number)] = name
        text = after
    symbols, line = [], 1
    for name in order:
        symbols.append(Symbol(name, name, name, "function", "a.py", line, line + len(bodies[name]) - 1))
        line += len(bodies[name]) + 1
    found = {(touch.commit, touch.symbol) for touch in symbol_changes(reversed(commits), symbols)}
    expected = {
        (commit, name)
        for commit, name in truth.items()
        if name in order and not (actions[int(commit)][0] == "delete" and int(commit))
    }
    assert expected - {pair for pair in expected if pair[1] not in order} <= found


def test_renames_are_followed_and_births_are_told_from_changes() -> None:
    symbol = Symbol("new.py:f", "new.f", "f", "function", "new.py", 1, 3)
    commits = [
        ("c3", [FileChange("new.py", "M", "", (Hunk(2, 1, 2, 1),))]),
        ("c2", [FileChange("new.py", "R", "old.py", ())]),
        ("c1", [FileChange("old.py", "M", "", (Hunk(3, 0, 4, 2),))]),  # below the function: not it
        ("c0", [FileChange("old.py", "A", "", (Hunk(0, 0, 1, 3),))]),
    ]
    assert [(t.commit, t.change) for t in symbol_changes(commits, [symbol])] == [("c3", "M"), ("c0", "A")]
