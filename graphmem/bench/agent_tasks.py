"""The tasks of `graphmem bench agent-runs`, and how an answer is judged: without a model, by rules that are fixed before the first
run.

The data are either what `graphmem bench questions` reads (clones with a table of questions each) or what `graphmem bench agent`
reads (a repository, or a folder of them, whose questions come from syntax and git). A line of a table may instead describe a
change: "check" (a command, as a list, that succeeds where the change is right), "files" (path and text of hidden tests, written
before the check) and "told" (earlier conversations: a list of `{"session", "role", "text"}`), besides "repo", "commit",
"question" and "type"."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmem.bench.agent_questions import make_questions
from graphmem.bench.questions import Gold, find_clone, plain_text, read_table
from graphmem.bench.retrieval import read_lines
from graphmem.errors import SourceError, UsageError
from graphmem.patterns import compile_later

_ANSWER = compile_later(r"^[\s*_`#>]*ANSWER:?[*_`]*:?[ \t]*", re.M)
_HASH = compile_later(r"\b[0-9a-f]{7,40}\b")
_LONGEST = 2_000  # characters of an answer that are judged: whoever lists everything names the right thing, too
_LEAST_HASH = 7
_CHECK_S = 600
_FORM = """{text}

This folder is a clone of {repository}. Find the answer here, and change nothing. End with a line that begins with `ANSWER:` and
contains the whole answer and nothing else: names in full, a function or class with its file, a section by its heading, a commit
by hash and subject. If the repository has no answer, write `ANSWER: none`."""
_CHANGE_FORM = """{text}

This folder is a clone of {repository}. Make the change here, in the files, without asking back. End with the line
`ANSWER: done`."""


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is asked about a clone at a commit. One of `gold` has to be named, all of `parts`; without either, there is
    no answer. A task with a `check` is a change: the command has to succeed in the changed tree."""

    id: str
    repository: str
    clone: Path
    commit: str
    type: str
    prompt: str
    gold: tuple[Gold, ...] = ()
    parts: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    told: tuple[tuple[str, str, str], ...] = ()  # session, role, text

    def fingerprint(self) -> str:
        """Return what tells whether a task is the same as in an earlier run."""
        content = [self.id, self.commit, self.prompt, [str(one) for one in self.gold], self.parts, self.check]
        return hashlib.sha256(json.dumps([*content, self.files, self.told]).encode()).hexdigest()


def read_tasks(data: Path, count: int | None) -> list[Task]:
    """Return the tasks of a folder, at most `count` of each type and repository. Raises SourceError or UsageError if there are
    none."""
    tables = sorted(data.glob("*.jsonl"))
    if tables:
        tasks = [task for table in tables for task in _limit(_of_table(data, table), count)]
    else:
        roots = [data] if (data / ".git").exists() else sorted(each.parent for each in data.glob("*/.git"))
        tasks = [task for root in roots for task in _of_repository(root, 1 if count is None else count)]
    if not tasks:
        raise UsageError(f"{data} has no table of questions and no repository that can be asked about")
    return tasks


def _limit(tasks: Sequence[Task], count: int | None) -> list[Task]:
    made: dict[str, int] = {}
    kept = []
    for task in tasks:
        made[task.type] = made.get(task.type, 0) + 1
        if count is None or made[task.type] <= count:
            kept.append(task)
    return kept


def _of_table(data: Path, table: Path) -> list[Task]:
    lines = read_lines(table)
    if any("check" in line for line in lines):
        return [_change(data, table, number, line) for number, line in enumerate(lines, 1)]
    name, commit, questions = read_table(table)
    clone = find_clone(data, table, name)
    return [
        Task(f"{table.stem}:{number}", name, clone, commit, one.type, _prompt(_FORM, one.text, name), gold=one.gold)
        for number, one in enumerate(questions, 1)
    ]


def _change(data: Path, table: Path, number: int, line: dict[str, Any]) -> Task:
    try:
        name = line["repo"]
        told = tuple((turn["session"], turn["role"], turn["text"]) for turn in line.get("told", ()))
        return Task(
            f"{table.stem}:{number}", name, find_clone(data, table, name), line["commit"], line["type"],
            _prompt(_CHANGE_FORM, line["question"], name), check=tuple(line["check"]),
            files=tuple(line.get("files", {}).items()), told=told,
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceError(f"{table}, line {number} is no task: {error!r}", path=str(table)) from error


def _of_repository(root: Path, count: int) -> list[Task]:
    commit = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return [
        Task(
            f"{root.name}:{number}", root.name, root, commit, one.type, _prompt(_FORM, one.text, root.name), parts=one.gold
        )
        for number, one in enumerate(make_questions(root, count), 1)
        if one.type != "source"  # nobody writes a function into a line
    ]  # fmt: skip


def _prompt(form: str, text: str, repository: str) -> str:
    return form.format(text=text.strip(), repository=repository)


def is_right(task: Task, said: str, tree: Path) -> bool:
    """Return whether an agent succeeded, by what it said or by the tree that it left."""
    if task.check:
        return _passes(task, tree)
    answer = final_answer(said)
    if not task.gold and not task.parts:
        return plain_text(answer).rstrip(".") == "none"
    if task.parts:
        return all(_is_word(part, answer) for part in task.parts)
    return any(_is_named(gold, answer) for gold in task.gold)


def final_answer(said: str) -> str:
    """Return what follows the last `ANSWER:`, "" without one.

    >>> final_answer("It may be f.\\n**ANSWER:** `f` in a.py")
    '`f` in a.py'
    """
    *_, last = [None, *_ANSWER.finditer(said)]
    return said[last.end() :][:_LONGEST].strip() if last is not None else ""


def _passes(task: Task, tree: Path) -> bool:
    """Write the hidden tests and run the check."""
    for name, text in task.files:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    try:
        return not subprocess.run(task.check, cwd=tree, capture_output=True, timeout=_CHECK_S, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


def _is_word(part: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", answer) is not None


def _is_named(gold: Gold, answer: str) -> bool:
    """Return whether an answer names a symbol with its file or class, a section, a commit or a person."""
    if gold.kind == "commit":
        return any(
            gold.name.startswith(said) or said.startswith(gold.name)
            for said in _HASH.findall(answer.lower()) if len(gold.name) >= _LEAST_HASH
        )  # fmt: skip
    if gold.kind == "person":
        return gold.name.lower() in answer.lower()
    if gold.kind == "document":
        return plain_text(gold.name) in plain_text(answer)
    *outer, name = [part for part in re.split(r"::|[#.:]", gold.name.partition("(")[0]) if part] or [""]
    file = gold.path.rpartition("/")[2]
    if not name:  # any symbol of the file is right
        return _is_word(file, answer)
    return _is_word(name, answer) and (_is_word(file, answer) or (bool(outer) and _is_word(outer[-1], answer)))
