"""Summaries of sessions in which something was done: goal, decisions, changes, failures and fixes, open ends. Written
from episodes, facts and gotchas, never from the first sentences of a transcript; no model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.cognify.concluded import ConcludedNode, node_of
from graphmem.cognify.facts import key_of
from graphmem.cognify.failures import Failure
from graphmem.cognify.gotchas import remedy_of
from graphmem.cognify.packed_entries import Entry
from graphmem.model.changes import Edge, Item
from graphmem.patterns import compile_later
from graphmem.projections import names
from graphmem.text.toolcalls import runs_tests, shorten_text
from graphmem.text.topics import subject_words

_MOST = 8  # lines of each part
_ERROR, _TITLE, _COMMAND = 120, 100, 80  # characters of an error, a title, a command
_PASSED, _FAILED = "passed", "failed"
_OWN_WORDS = 0.7  # confidence above which a fact is of the user or of a commit: an agent's "never" is no decision
_FEWEST_WORDS = 2  # of a request that says what is asked for: "continue" and "did you push?" do not
_TASK = compile_later(r"(?<![\w/.-])[A-Za-z][\w]*-[A-Za-z]*\d*[\w.]*[\w](?![\w/-])|(?<!\w)#\d+\b")
_BROKEN = compile_later(r"\btests?\b[^.;]{0,60}\b(?:fails?|failed|failing|broken|red)\b|테스트[^.]{0,30}실패", re.I)
_DECIDED = frozenset({"decision", "preference", "rule"})


Titles = Callable[[str, list[str]], Mapping[str, str]]  # project and names of tasks -> titles


@dataclass(slots=True)
class SessionActivity:
    """What happened in one session."""

    project: str
    session: str
    at: int = 0
    begun: int = 0  # clock of the first entry
    goals: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    learned: list[tuple[str, str]] = field(default_factory=list)  # (id, content) of causes and fixes
    broken: list[tuple[str, str]] = field(default_factory=list)  # (id, content) of failures, until tests pass
    files: dict[str, int] = field(default_factory=dict)  # path -> number of writes
    unsaved: dict[str, None] = field(default_factory=dict)  # written since the last commit
    commits: list[tuple[str, str]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    question: str = ""
    runs: int = 0
    tested: str = ""  # how the last run of tests ended
    pushed: bool = False  # since the last commit
    passed_at: int = 0  # when tests passed last

    @property
    def is_worth_summary(self) -> bool:
        """Return whether enough happened for a summary."""
        return bool(self.files or self.commits or (self.goals and self.runs > 2))

    def take(self, entry: Entry) -> None:
        """Read one entry."""
        body, self.at = entry.body, max(self.at, entry.at)
        if entry.step.startswith("facts"):
            for fact in body["facts"]:
                self.facts.append(fact["id"])
                if fact["kind"] in _DECIDED and (fact["kind"] != "rule" or fact["confidence"] > _OWN_WORDS):
                    self.decisions.append(fact["content"])
                elif fact["kind"] == "failure" or (fact["kind"] == "cause" and _BROKEN.search(fact["content"])):
                    self.broken.append((fact["id"], fact["content"]))
                elif fact["kind"] in ("cause", "fix"):
                    self.learned.append((fact["id"], fact["content"]))
            return
        match body["kind"]:
            case "ask":
                if len(subject_words(body["text"])) >= _FEWEST_WORDS:
                    self.goals.append(body["text"])
                self.question = ""
            case "tell":
                self.question = body["question"]
            case "write":
                for path in body["files"]:
                    if not path.startswith(("/", "~")):  # a note of the host, or another project
                        self.files[path] = self.files.get(path, 0) + 1
                        self.unsaved[path] = None
            case "run":
                self._ran(body)
            case "tests":
                self._tested(body["name"], _FAILED if body["failures"] else _PASSED)

    def _ran(self, body: dict[str, Any]) -> None:
        self.runs += 1
        for hash_, subject in body.get("commits", ()):
            self.commits.append((hash_, subject))
            self.unsaved.clear()
            self.pushed = False
        self.pushed |= body["ok"] and any(key.startswith("git push") for key in body["keys"])
        command = body["command"]
        if runs_tests(command):
            told = (
                "" if body["ok"] and "|" in command else _PASSED if body["ok"] else _FAILED
            )  # a pipe hides how it ended
            self._tested(f"`{' '.join(shorten_text(command, _COMMAND).split())}`", told)

    def _tested(self, name: str, how: str) -> None:
        self.tested = f"{name} {how}" if how else ""
        if how == _PASSED:
            self.broken, self.passed_at = [], self.at


def course_of(place: tuple[str, str], entries: Iterable[Entry]) -> SessionActivity:
    """Return what happened in one session; what belongs to none is told nowhere."""
    course = SessionActivity(*place)
    for entry in entries if place[1] else ():
        course.begun = course.begun or entry.clock
        course.take(entry)
    return course


def summarise_session(
    course: SessionActivity, failures: list[Failure], titles: Titles = lambda _project, _refs: {}
) -> ConcludedNode:
    """Return the Summary of one session. `titles` tells the titles of tasks that its requests name."""
    failures = [one for one in failures if one.solved or not _passed_later(course, one)]
    goals = _with_titles(course, titles)
    identifier = f"summary:{course.project}:{course.session}"
    parts = {
        "Goal": goals[:1],
        "Also asked": goals[1 : _MOST // 2 + 1],
        "Decisions": _distinct(course.decisions),
        "Changes": _changes(course),
        "Result": _result(course),
        "Failures and fixes": _failures(failures),
        "Learned": _distinct(content for _, content in (*course.learned, *course.broken)),
        "Open ends": _open(course, failures),
    }
    content = "\n".join(
        f"{name}: {lines[0]}" if len(lines) == 1 else "\n".join([f"{name}:", *(f"- {line}" for line in lines)])
        for name, lines in parts.items()
        if lines
    )
    title = _headline(goals[0] if goals else (course.commits[-1][1] if course.commits else "Session"))
    properties = {"session": course.session, "project": course.project, "kind": "session", "title": title,
                  "content": content, "confidence": 0.7, "at": course.at}  # fmt: skip
    session = names.session_id(course.session)
    edges = [Edge("PART_OF", "Summary", identifier, "Session", session, {}),
             Edge("SUMMARIZES", "Summary", identifier, "Session", session, {})]  # fmt: skip
    edges += [Edge("DERIVED_FROM", "Summary", identifier, "Fact", fact, {"at": course.at}) for fact in course.facts]
    edges += [
        Edge("ABOUT", "Summary", identifier, "File", names.file_id(course.project, path), {"confidence": 1.0})
        for path in course.files
    ]
    item = Item(identifier, "summary", title, content, course.at, "", course.session, course.project)
    return ConcludedNode(node_of("Summary", identifier, properties), edges, item, course.begun)


def _passed_later(course: SessionActivity, failure: Failure) -> bool:
    """Return whether tests failed that passed later in the session, whatever command ran them."""
    return runs_tests(failure.command) and failure.at < course.passed_at


def _with_titles(course: SessionActivity, titles: Titles) -> list[str]:
    """Return the requests, each with the titles of the tasks that it only names."""
    named = {goal: task_names(goal) for goal in course.goals}
    refs = sorted({ref for found in named.values() for ref in found})
    known = titles(course.project, refs) if refs else {}
    return [name_tasks(goal, {ref: known[ref] for ref in named[goal] if ref in known}) for goal in course.goals]


def task_names(text: str) -> list[str]:
    """Return what in a text may be the name of a task: "spotter-gqc", "#12"."""
    return list(dict.fromkeys(_TASK.findall(text)))


def name_tasks(text: str, titles: Mapping[str, str]) -> str:
    """Return a text with the title of a task where it is first named."""
    for ref, title in titles.items():
        if title.lower() not in text.lower():
            text = re.sub(rf"(?<![\w/.-]){re.escape(ref)}(?![\w-])", lambda m, t=title: f"{m[0]} ({t})", text, count=1)  # type: ignore[misc]
    return text


def _headline(text: str) -> str:
    """Return the first sentence, or as many words of it as fit."""
    first = re.split(r"(?<=[.!?。])\s", text, maxsplit=1)[0].rstrip(".")
    return first if len(first) <= _TITLE else f"{first[:_TITLE].rpartition(' ')[0] or first[:_TITLE]} …"


def _result(course: SessionActivity) -> list[str]:
    """Return where it ended: commits, whether they were pushed, how the last tests went."""
    count = len(course.commits)
    commits = f"{count} commit{'s' * (count != 1)}{', pushed' * course.pushed}" if count else ""
    parts = [commits, course.tested and f"last {course.tested}"]
    return ["; ".join(filter(None, parts))] if any(parts) else []


def _distinct(contents: Iterable[str]) -> list[str]:
    """Return what differs in more than order and endings."""
    found: dict[frozenset[str], str] = {}
    for content in contents:
        found.setdefault(key_of(content), content)
    return list(found.values())[:_MOST]


def _changes(course: SessionActivity) -> list[str]:
    lines = [f"commit {hash_}: {subject}" for hash_, subject in course.commits][:_MOST]
    if course.files:
        busiest = sorted(course.files, key=lambda path: (-course.files[path], path))
        more = f" and {len(busiest) - _MOST} more" if len(busiest) > _MOST else ""
        lines.append(f"edited {', '.join(busiest[:_MOST])}{more}")
    return lines


def _failures(failures: list[Failure]) -> list[str]:
    told: dict[str, str] = {}
    for failure in failures:
        told[_short(failure)] = remedy_of(failure) if failure.solved else "not overcome in this session"
    return [f"{error} → {outcome}" for error, outcome in told.items()][:_MOST]


def _short(failure: Failure) -> str:
    return " ".join(shorten_text(failure.error, _ERROR).split())


def _open(course: SessionActivity, failures: list[Failure]) -> list[str]:
    unsolved = dict.fromkeys(_short(failure) for failure in failures if not failure.solved)
    lines = [f"still failing: {error}" for error in unsolved]
    if course.question:
        lines.append(f"asked and not answered: {course.question}")
    if course.unsaved and course.commits:
        lines.append(f"edited after the last commit: {', '.join(list(course.unsaved)[:_MOST])}")
    return lines[:_MOST]
