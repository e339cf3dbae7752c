"""Histories with branches, put in a line: which commit changed which symbol is what the commits really did."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples
from test_line_ranges import hunks

from graphmem.model.code import Symbol
from graphmem.model.sources import Hunk
from graphmem.projections.line_ranges import FileChange, symbol_changes
from graphmem.projections.linear_history import LoggedCommit, in_line

_NAMES = [f"f{number}" for number in range(8)]
Bodies = dict[str, tuple[str, ...]]
_STEPS = st.lists(
    st.tuples(st.sampled_from(["main", "main", "branch", "branch", "merge", "catch up"]), st.integers(0, 7), st.integers(0, 9)),
    min_size=3,
    max_size=40,
)  # fmt: skip


def text(bodies: Bodies) -> list[str]:
    """The file with these functions, a line between them."""
    return [line for name in _NAMES if name in bodies for line in (*bodies[name], f"# after {name}")]


class Repository:
    """A file with a mainline and at most one branch, which change different functions."""

    def __init__(self) -> None:
        start: Bodies = {name: (f"def {name}():", "  1", "  2") for name in _NAMES if name != "f3"}
        self.commits = [LoggedCommit("0", (), [FileChange("a.py", "A", "", hunks([], text(start)))])]
        self.main, self.branch, self.fork = ("0", start), ("0", start), start
        self.is_open = False
        self.truth: set[tuple[str, str]] = {("0", name) for name in start}

    def commit(self, tip: tuple[str, Bodies], after: Bodies, *others: str) -> tuple[str, Bodies]:
        """Add a commit, or with `others` a merge, whose changes the log does not have."""
        name = str(len(self.commits))
        changed = [] if others else [FileChange("a.py", "M", "", hunks(text(tip[1]), text(after)))]
        self.commits.append(LoggedCommit(name, (tip[0], *others), changed))
        self.truth |= set() if others else {(name, each) for each in after if after[each] != tip[1].get(each)}
        return name, after

    def edit(self, tip: tuple[str, Bodies], name: str, where: int) -> tuple[str, Bodies]:
        """Change, insert or remove lines of a function, or add it."""
        body, said = [*tip[1].get(name, (f"def {name}():",))], f"  {name} {len(self.commits)}"
        if where % 3 == 0 and len(body) > 2:
            body[1 + where % (len(body) - 1)] = said
        elif where % 3 == 1 and len(body) > 4:
            del body[2]
            body[1] = said
        else:
            at = 1 + where % len(body)
            body[at:at] = [said, f"{said} too"]
        return self.commit(tip, {**tip[1], name: tuple(body)})

    def step(self, what: str, choice: int, where: int) -> None:
        """Do one thing; the mainline changes even functions, branches odd ones, so that no merge has a conflict."""
        if what == "main":
            self.main = self.edit(self.main, _NAMES[choice // 2 * 2], where)
        elif what == "branch":
            if not self.is_open:
                self.branch, self.is_open = self.main, True
            self.branch = self.edit(self.branch, _NAMES[choice // 2 * 2 + 1], where)
        elif self.is_open:
            odd = {name: body for name, body in self.branch[1].items() if name in _NAMES[1::2]}
            both = {name: body for name, body in self.main[1].items() if name in _NAMES[::2]} | odd
            if what == "merge":
                self.main, self.is_open = self.commit(self.main, both, self.branch[0]), False
            elif self.main[0] != "0":
                self.branch = self.commit(self.branch, both, self.main[0])


@settings(max_examples=examples(150), deadline=None)
@given(_STEPS)
def test_merged_branches_are_traced_exactly(steps: list[tuple[str, int, int]]) -> None:
    repository = Repository()
    for step in steps:
        repository.step(*step)
    repository.step("merge", 0, 0)
    head, now = repository.main
    symbols, line = [], 1
    for name in _NAMES:
        if name in now:
            symbols.append(Symbol(name, name, name, "function", "a.py", line, line + len(now[name]) - 1))
            line += len(now[name]) + 1
    found = {(change.commit, change.symbol) for change in symbol_changes(in_line(repository.commits, head), symbols)}
    assert found == repository.truth


def test_a_file_that_the_mainline_renamed_is_traced_into_the_branch() -> None:
    commits = [
        LoggedCommit("a", (), [FileChange("old.py", "A", "", (Hunk(0, 0, 1, 6),))]),
        LoggedCommit("b", ("a",), [FileChange("old.py", "M", "", (Hunk(5, 1, 5, 1),))]),  # the second function
        LoggedCommit(
            "c", ("a",), [FileChange("new.py", "R", "old.py", (Hunk(1, 0, 2, 3),))]
        ),  # three lines in the first
        LoggedCommit("m", ("c", "b"), []),
        LoggedCommit("elsewhere", ("a",), [FileChange("old.py", "M", "", (Hunk(2, 1, 2, 1),))]),
    ]
    symbols = [Symbol("f", "f", "f", "function", "new.py", 1, 6), Symbol("g", "g", "g", "function", "new.py", 7, 9)]
    found = [(change.commit, change.symbol, change.change) for change in symbol_changes(in_line(commits, "m"), symbols)]
    assert found == [("b", "g", "M"), ("c", "f", "M"), ("a", "f", "A"), ("a", "g", "A")]
    assert [hash_ for hash_, _ in in_line(commits, "m")] == ["m", "b", "c", "a", "elsewhere"]


def test_a_commit_that_was_picked_from_the_other_side_is_there_once() -> None:
    added = FileChange("a.py", "M", "", (Hunk(3, 0, 4, 5), Hunk(6, 1, 11, 1)))  # a function, and a line of the last one
    commits = [
        LoggedCommit("a", (), [FileChange("a.py", "A", "", (Hunk(0, 0, 1, 6),))]),
        LoggedCommit("picked", ("a",), [added]),
        LoggedCommit("b", ("picked",), [FileChange("a.py", "M", "", (Hunk(10, 0, 11, 1),))]),  # a line of the last one
        LoggedCommit("c", ("a",), [added]),
        LoggedCommit("m", ("c", "b"), []),
    ]
    symbols = [
        Symbol(name, name, name, "function", "a.py", first, last)
        for name, first, last in (("f", 1, 3), ("g", 4, 8), ("h", 9, 12))
    ]
    found = {(change.commit, change.symbol) for change in symbol_changes(in_line(commits, "m"), symbols)}
    assert found == {("b", "h"), ("c", "g"), ("c", "h"), ("a", "f"), ("a", "h")}
