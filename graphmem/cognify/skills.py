"""Skills: procedures that worked more than once. What is usually done before a commit, a push or a release, and what always
follows a command: the steps with their real commands, what is checked, what went wrong before, and the runs behind it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from graphmem.cognify.concluded import ConcludedNode, node_of
from graphmem.cognify.failures import Failure
from graphmem.cognify.gotchas import remedy_of
from graphmem.cognify.procedures import Run, verb_of, wording
from graphmem.model.changes import Edge, Item
from graphmem.patterns import compile_later
from graphmem.text.toolcalls import runs_tests, shorten_text

# What a piece of work ends with.
_GOAL = compile_later(
    r"git (?:commit|push|tag)$|gh (?:pr|release)$|(?:npm|pnpm|yarn|bun|cargo|uv|poetry) publish$|twine$|docker push$"
    r"|(?:kubectl|terraform|pulumi) (?:apply|up)$|helm (?:upgrade|install)$|.*\b(?:deploy|release|publish)$"
)
_CHECK = compile_later(
    r"\b(?:lint|check|credo|dialyzer|clippy|vet|mypy|ruff|eslint|tsc|flake8|pylint|fmt|format|audit)\b"
)
_LEAST = 3  # times that a procedure worked; of two sessions, two do
_LEAST_WHOLE = 2  # times that all steps of a procedure were taken together
_USUAL = 0.6  # share of the times in which a step was part of it
_FOLLOWS = 0.75  # share of the times in which one command follows another
_RECENT = 30  # times that are looked at: what is done changes
_LONGEST = 8  # steps
_PITFALLS = 5
_EVIDENCE = 20


class Procedure(NamedTuple):
    """Steps of a procedure with how often each was part of it, and the runs that reached its end."""

    key: str
    steps: list[tuple[str, int]]  # verb, times
    times: int
    of: int
    ends: list[Run]


def skill_id(project: str, key: str) -> str:
    """Id of the Skill of one procedure."""
    return f"skill:{hashlib.sha256(f'{project}|{key}'.encode()).hexdigest()[:20]}"


def procedure_id(project: str, goal: str) -> str:
    """Id of the Skill that says what is usually done before a command such as `git commit`."""
    return skill_id(project, f"before {goal}")


def make_skills(project: str, runs: Sequence[Run], failures: Sequence[Failure]) -> list[ConcludedNode]:
    """Return the Skills of a project, from what ran in its sessions and what failed there."""
    ordered = sorted(runs, key=lambda run: (run.session, run.clock))
    courses = [list(course) for _, course in groupby(ordered, key=lambda run: run.session)]
    found = list(_ends(courses))
    known = [{verb for verb, _ in procedure.steps} for procedure in found]
    for chain in _chains(courses):
        own = {verb for verb, _ in chain.steps}
        if not any(own <= other for other in known):
            found.append(chain)
            known.append(own)
    return [_skill(project, procedure, ordered, failures) for procedure in found]


def _ends(courses: Sequence[Sequence[Run]]) -> Iterator[Procedure]:
    """Yield what is usually done before each goal."""
    goals = sorted({run.verb for course in courses for run in course if _GOAL.match(run.verb)})
    for goal in goals:
        ways = sorted(_before(goal, courses), key=lambda way: way[-1].at)[-_RECENT:]
        usual = _done_together(_usual([[run.verb for run in way[:-1]] for way in ways]), ways)
        if _is_proven([way[-1] for way in ways]) and any(not verb.startswith("git ") for verb, _ in usual):
            steps = [*usual[-_LONGEST:], (goal, len(ways))]
            yield Procedure(f"before {goal}", steps, _times_whole(usual, ways), len(ways), [way[-1] for way in ways])


def _done_together(usual: list[tuple[str, int]], ways: Sequence[Sequence[Run]]) -> list[tuple[str, int]]:
    """Return the usual steps that were taken together more than once: without those that are rarest, as long as the rest was
    not. A procedure that nobody followed as a whole is none."""
    while usual and _times_whole(usual, ways) < _LEAST_WHOLE:
        usual = [step for step in usual if step is not min(usual, key=lambda one: one[1])]
    return usual


def _times_whole(usual: Sequence[tuple[str, int]], ways: Sequence[Sequence[Run]]) -> int:
    return sum({verb for verb, _ in usual} <= {run.verb for run in way} for way in ways)


def _before(goal: str, courses: Iterable[Sequence[Run]]) -> Iterator[list[Run]]:
    """Yield the ways to each time that the goal was reached: what ran since the last goal of any kind, and the run
    that reached it. A push does not repeat how the commit was made."""
    for course in courses:
        way: list[Run] = []
        for run in course:
            if way and _GOAL.match(way[-1].verb) and run.verb != way[-1].verb:
                way = way[-1:]
            way.append(run)
            if run.verb == goal:
                yield way
                way = []


def _usual(ways: Sequence[Sequence[str]]) -> list[tuple[str, int]]:
    """Return the verbs that are part of most ways, in their usual order, with how often."""
    times = Counter(verb for way in ways for verb in set(way))
    usual = {verb: number for verb, number in times.items() if number >= max(2, _USUAL * len(ways))}
    places: dict[str, list[float]] = {verb: [] for verb in usual}
    for way in ways:
        last = {verb: place for place, verb in enumerate(way)}  # of what is repeated, the last counts
        for verb in usual.keys() & last.keys():
            places[verb].append((len(way) - last[verb]) / len(way))
    order = sorted(usual, key=lambda verb: (-sum(places[verb]) / len(places[verb]), verb))
    return [(verb, usual[verb]) for verb in order]


def _chains(courses: Sequence[Sequence[Run]]) -> Iterator[Procedure]:
    """Commands that others nearly always follow, in the same order; longest first."""
    steps = [[next(same) for _, same in groupby(course, key=lambda run: run.verb)] for course in courses]
    places: dict[str, list[list[Run]]] = {}
    for course in steps:
        for place, run in enumerate(course):
            places.setdefault(run.verb, []).append(course[place : place + _LONGEST])
    chains = []
    for first, windows in places.items():
        chain, here = [(first, len(windows))], windows
        while (longer := _extended(chain, here)) is not None:
            chain, here = longer
        if len(chain) > 1 and any(not verb.startswith("git ") for verb, _ in chain) and not _GOAL.match(first):
            ends = [window[len(chain) - 1] for window in here]
            chains.append(Procedure(f"after {first}", chain, len(here), len(windows), ends))
    yield from sorted(chains, key=lambda chain: (-len(chain.steps), chain.key))


def _extended(
    chain: list[tuple[str, int]], windows: Sequence[list[Run]]
) -> tuple[list[tuple[str, int]], list[list[Run]]] | None:
    """Return the chain with the command that nearly always comes next, and where it did."""
    place = len(chain)
    nexts = Counter(window[place].verb for window in windows if len(window) > place)
    if not nexts or place == _LONGEST:
        return None
    verb, times = nexts.most_common(1)[0]
    if times < max(_LEAST, _FOLLOWS * len(windows)) or verb in {known for known, _ in chain}:
        return None
    return [*chain, (verb, times)], [window for window in windows if len(window) > place and window[place].verb == verb]


def _is_proven(ends: Sequence[Run]) -> bool:
    return len(ends) >= _LEAST or (len(ends) == _LEAST - 1 and len({run.session for run in ends}) > 1)


def _skill(project: str, procedure: Procedure, runs: Sequence[Run], failures: Sequence[Failure]) -> ConcludedNode:
    verbs = [verb for verb, _ in procedure.steps]
    words = {verb: wording(verb, [run.text for run in runs if run.verb == verb][-_RECENT:]) for verb in verbs}
    pitfalls = list(_pitfalls(verbs, failures))
    checks = [words[verb] for verb in verbs if runs_tests(words[verb]) or _CHECK.search(verb)]
    last = max(run.at for run in procedure.ends)
    sessions = len({run.session for run in procedure.ends})
    when, _, topic = procedure.key.partition(" ")
    others = ", ".join(f"`{verb}`" for verb in verbs if verb != topic)
    title = (
        f"How to {topic.split()[-1]} (`{topic}`): {others} first" if when == "before" else f"After `{topic}`: {others}"
    )
    seen = f"{procedure.times} of {procedure.of} times in {sessions} session{'s' * (sessions > 1)}"
    context = f"{when} `{topic}`: {seen}, last on {datetime.fromtimestamp(last / 1e6, UTC):%Y-%m-%d}"
    guide = "\n".join(
        f"{number}. `{words[verb]}` ({times} of {procedure.of})"
        for number, (verb, times) in enumerate(procedure.steps, 1)
    )
    parts = [f"When: {context}", f"Steps:\n{guide}"]
    parts += [f"Check: {', '.join(f'`{check}`' for check in checks)}"] * bool(checks)
    parts += ["Pitfalls:\n" + "\n".join(f"- {pitfall}" for pitfall in pitfalls)] * bool(pitfalls)
    content, identifier = "\n".join(parts), skill_id(project, procedure.key)
    properties = {"project": project, "title": title, "content": content, "topic": topic, "context": context, "guide": guide,
                  "principles": checks, "pitfalls": pitfalls, "confidence": round(procedure.times / (procedure.of + 1), 3),
                  "level": 1, "stage": "working", "status": "active", "at": last}  # fmt: skip
    edges = [Edge("DERIVED_FROM", "Skill", identifier, run.label, run.node, {"at": run.at})
             for run in procedure.ends[-_EVIDENCE:]]  # fmt: skip
    item = Item(identifier, "skill", title, content, last, "", "", project)
    clocks = sorted(run.clock for run in runs if run.verb == procedure.ends[0].verb)  # `ends` has the latest only
    return ConcludedNode(node_of("Skill", identifier, properties), edges, item, clocks[min(len(clocks), _LEAST) - 1])


def _pitfalls(verbs: Sequence[str], failures: Iterable[Failure]) -> Iterator[str]:
    """Yield what went wrong with these steps and was overcome, what came back most first. That a test failed is no
    pitfall of the procedure: the test did its work."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        verb = verb_of(failure.key) if failure.solved and failure.key else ""
        if verb in verbs and not runs_tests(failure.command):
            groups.setdefault((verb, failure.signature), []).append(failure)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), -max(one.at for one in pair[1]), pair[0]))
    for (verb, _), found in ranked[:_PITFALLS]:
        latest = max(found, key=lambda failure: (failure.at, failure.clock))
        yield " ".join(shorten_text(f"`{verb}` failed: {latest.error} → {remedy_of(latest)}", 300).split())
