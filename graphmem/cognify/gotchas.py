"""Derives gotchas: what failed, what triggered it, why, and what fixed it. `failures` follows failures through one session;
this module merges those of all sessions, so that a recurrence raises the count and a later fix updates the gotcha."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from graphmem.cognify.concluded import ConcludedNode, node_of
from graphmem.cognify.failures import Failure
from graphmem.model.changes import Edge, Item
from graphmem.patterns import compile_later
from graphmem.projections import names
from graphmem.text.toolcalls import shorten_text

NOT_FOUND = "No fix is known yet."
UNCLEAR = "It did not come back, but too much was done in between to say what helped."
RETURNED = "It has failed so again since."
_TOO_MUCH = 8  # files and commands between a failure and its end
_TELLING = ("cause", "failure")  # kinds of facts that explain, best first
_REASON = compile_later(r"(?:because|caused by|reason|help|note|hint|did you mean)\b", re.I)
_LONG, _FEW = 100, 4  # characters of a command from which, and words up to which only what differs is told
_MOST = 4  # files, commands


def gotcha_id(failure: Failure) -> str:
    """Id of the gotcha that a failure belongs to: its project, program and error without what varies."""
    told = f"{failure.project}|{failure.key.split(' ')[0]}|{failure.signature}"
    return f"gotcha:{hashlib.sha256(told.encode()).hexdigest()[:20]}"


def failures_by_gotcha(found: Iterable[Failure]) -> dict[str, list[Failure]]:
    """Return failures by the id of their gotcha."""
    groups: dict[str, list[Failure]] = {}
    for failure in found:
        groups.setdefault(gotcha_id(failure), []).append(failure)
    return groups


def make_gotcha(identifier: str, members: Iterable[Failure]) -> ConcludedNode:
    """Return the Gotcha of all failures with one error: node, edges and item."""
    failures = sorted(members, key=lambda failure: (failure.at, failure.clock, failure.node))
    first, last = failures[0], failures[-1]
    solved = [failure for failure in failures if failure.solved]
    clear = [failure for failure in solved if resolution_of(failure) != UNCLEAR]
    best = (clear or solved or [last])[-1]
    outcome = resolution_of(best) if solved else NOT_FOUND
    resolution = outcome if has_fix(outcome) else ""  # what is not known is not called a fix anywhere
    known = [best, *reversed(failures)]
    cause, shown = cause_of(known), next((failure.detail for failure in known if failure.detail), "")
    why = f"Cause: {cause}" if cause else shown and f"Shown: {shown}"
    trigger = _line(last.command, 300)
    where = f" ({last.file}{f':{last.line}' if last.line else ''})" if last.file else ""
    description = f"`{trigger}` failed{where}: {last.error}" if trigger else f"{last.error}{where}"
    returned = RETURNED if solved and not last.solved else ""
    content = "\n".join(
        filter(None, [description, why, f"Resolution: {resolution}" if resolution else outcome, returned])
    )
    title = shorten_text(last.error, 160)
    properties = {
        "project": last.project,
        "title": title,
        "content": content,
        "description": description,
        "trigger": trigger,
        "resolution": resolution,
        "signature": last.signature,
        "recurrence": len(failures),
        "resolved": last.solved,
        "confidence": 0.8 if clear else 0.5,
        "level": 1,
        "stage": "working",
        "status": "active",
        "at": first.at,
        "last_at": last.at,
    }
    item = Item(identifier, "gotcha", title, content, last.at, "", last.session, last.project)
    return ConcludedNode(
        node_of("Gotcha", identifier, properties),
        _edges(identifier, failures),
        item,
        min(one.clock for one in failures),
    )


def has_fix(content: str) -> bool:
    """Return whether the content of a gotcha says what to do about it."""
    return NOT_FOUND not in content and UNCLEAR not in content


def cause_of(failures: Sequence[Failure]) -> str:
    """Return what was said of one of these failures; else the reason that the output itself gives below the error."""
    said = (failure.said[kind] for kind in _TELLING for failure in failures if kind in failure.said)
    return next(said, "") or next((failure.detail for failure in failures if _REASON.match(failure.detail)), "")


def resolution_of(failure: Failure) -> str:
    """Return what was done between the last time it failed so and when it no longer did."""
    command = _line(failure.solved_command, 200)
    if len(failure.files) + len(failure.commands) > _TOO_MUCH:
        return UNCLEAR
    if not failure.passed:
        head = f"`{command}` went on to the next error" if failure.solved_command else "The error did not come back"
    elif failure.solved_command == failure.command:
        alone = not (failure.files or failure.commands)
        head = f"`{command}` succeeded{' when it was run again' if alone else ''}"
    else:
        head = _instead(failure) if failure.replaced else f"`{command}` succeeded later"
    parts = [head]
    changed, ran = _changed(failure), _ran(failure)
    if changed:
        parts.append(f"after changes to {changed}")
    if ran:
        parts.append(f"{'and' if changed else 'after'} running {ran}")
    if failure.commit[0]:
        parts.append(f"in commit {failure.commit[0]} ({failure.commit[1]})")
    return f"{' '.join(parts)}."


def _instead(failure: Failure) -> str:
    """Return the command that succeeded in place of the failed one; of two long ones that are nearly the same, what
    differs."""
    failed, solved = failure.command.split(), failure.solved_command.split()
    less = [word for word in failed if word not in solved]
    more = [word for word in solved if word not in failed]
    if len(failure.command) < _LONG or failed[:1] != solved[:1] or not 0 < len(less) + len(more) <= _FEW:
        return f"`{_line(failure.solved_command, 200)}` succeeded instead"
    parts = [f"{how} `{' '.join(words)}`" for how, words in (("without", less), ("with", more)) if words]
    return f"the same succeeded {' and '.join(parts)}"


def remedy_of(failure: Failure) -> str:
    """Return the same in a few words."""
    changed, ran = _changed(failure), _ran(failure)
    parts = [f"changed {changed}"] * bool(changed) + [f"ran {ran}"] * bool(ran)
    return (
        "; ".join(parts) or f"`{_line(failure.solved_command, 120)}` {'instead' if failure.replaced else 'succeeded'}"
    )


def _changed(failure: Failure) -> str:
    done = [f"{path} (`{edit}`)" if edit else path for path, edit in list(failure.files.items())[-_MOST:]]
    more = len(failure.files) - len(done)
    return ", ".join(done) + (f" and {more} more" if more else "")


def _ran(failure: Failure) -> str:
    return ", ".join(f"`{_line(command, 100)}`" for command in list(failure.commands)[-_MOST:])


def _line(text: str, limit: int) -> str:
    return " ".join(shorten_text(text, limit).split())


def _edges(identifier: str, failures: Iterable[Failure]) -> list[Edge]:
    edges = []
    for failure in failures:
        at = {"at": failure.at}
        edges.append(Edge("DERIVED_FROM", "Gotcha", identifier, failure.label, failure.node, at))
        edges.append(Edge("EVIDENCE_OF", failure.label, failure.node, "Gotcha", identifier, {"confidence": 1.0, **at}))
        if failure.label in ("Snapshot", "TestRun"):
            edges.append(Edge("FAILED_IN", "Gotcha", identifier, failure.label, failure.node, at))
        if failure.solved_by[0] == "Turn":
            turn = failure.solved_by[1]
            edges.append(Edge("FIXED_BY", "Gotcha", identifier, "Turn", turn, {**at, "confidence": 0.7}))
        if failure.commit[0]:
            commit = names.commit_id(failure.commit[0])
            edges.append(Edge("FIXED_BY", "Gotcha", identifier, "Commit", commit, {**at, "confidence": 0.7}))
        for path in [failure.file, *(failure.files if failure.solved else ())]:
            if path:
                file = names.file_id(failure.project, path)
                edges.append(Edge("ABOUT", "Gotcha", identifier, "File", file, {"confidence": 0.7}))
    return edges
