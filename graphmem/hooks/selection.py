"""Selects the memories that hooks inject for a prompt or a tool call: very probably relevant ones. Injected text
is fenced as data, has citations, and is never repeated in a session. Nothing is injected on a guess."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphmem.cognify.gotchas import has_fix
from graphmem.hooks import decisions, rules, warnings
from graphmem.hooks.injection import Injection, join_injections
from graphmem.hooks.lines import (
    LONG,
    check_lines,
    count_reviewable,
    derived_facts,
    gotcha_line,
    heading_of,
    is_indexed,
    load_details,
    memory_line,
    pack_lines,
    unapproved_turns,
)
from graphmem.hooks.places import Shown
from graphmem.model.results import FLOOR, Hit
from graphmem.ports.text import Stored
from graphmem.retrieve.citations import CitationChecker
from graphmem.retrieve.echoes import only_asks
from graphmem.retrieve.present import is_bare_module
from graphmem.retrieve.statements import STATED
from graphmem.text.deciding import extract_statements
from graphmem.text.placenames import named_files
from graphmem.text.questions import is_request_for_answer
from graphmem.text.recall import fence_recalled, written_by_host
from graphmem.text.sentences import sentences
from graphmem.text.settling import score_conclusiveness
from graphmem.text.shortening import one_line
from graphmem.text.tokens import count_tokens
from graphmem.text.toolcalls import relative_path
from graphmem.text.words import content_words, is_echo, is_question
from graphmem.tree.words import stem_for_topics, topic_words
from graphmem.trust.origin import TRUSTED

if TYPE_CHECKING:
    from graphmem.context import HookContext

_RECENT = 5_000  # events to look back for what this session already received
_WARNINGS = 3  # gotchas in one answer
_WARNS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})  # events whose warnings concern a command
_FOREIGN = 3  # memories of other projects in one answer
# Probabilities from which a turn, and any other item, may be suggested.
_MIN_TURN_PROBABILITY = 0.05
_MIN_OTHER_PROBABILITY = 0.1
_LEFT = 0.3  # share of the best hit's probability that the best selection hit needs
_ENOUGH, _NEARLY = 4, 0.8  # words of a question, and the share of them that a statement about it contains
_BRIEF = 240  # characters of an announcement
_ANNOUNCED = re.compile(
    r":$|^(?:(?:now|ok|okay|good|great|perfect|next|first|then|alright)\b[,.! ]*)*(?:let me|let's|i'll|i will|i'm going to)\b"
    r"|(?:보겠습니다|하겠습니다|볼게요|할게요)[.!]?$",
    re.I,
)
_LOOKED = re.compile(r"(?:Read|Edit|MultiEdit|Write|NotebookEdit|Glob|Grep|LS|Task|TaskOutput|TodoWrite)\b")
_RULES = 3  # standing rules in one answer
_STATES = 10  # conclusiveness of what follows a question, from which it is worth showing
_SHORTEST = 12  # bytes, because Korean says more in a character; "continue" asks for nothing
_LONGEST = 2_000  # characters of a prompt that are searched for


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds for injecting hits. The environment variables have the names that other memory tools use."""

    candidates: int = 10
    least: float = 0.75
    most: int = 5
    ratio: float = 0.85
    strict: float = 0.7
    known: float = 0.3  # probability of the whole answer from which its first hits are worth showing

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Limits:
        """Return the limits with overrides from the environment; values that are not numbers are ignored."""
        names = {"CANDIDATES": ("candidates", int), "MIN_SCORE": ("least", float), "MAX_COUNT": ("most", int),
                 "THRESHOLD_RATIO": ("ratio", float), "STRICT_MIN": ("strict", float)}  # fmt: skip
        given: dict[str, Any] = {}
        for name, (field, kind) in names.items():
            try:
                given[field] = kind(environment[f"CLAUDE_MEMORY_{name}"])
            except (KeyError, ValueError):
                continue
        return cls(**given)


def select_hits(hits: Sequence[Hit], limits: Limits, answer: float = 0.0) -> tuple[list[Hit], bool]:
    """Return the hits to inject, most probable first, and whether they are certain. If none is certain, return up to
    three suggestions: hits that are probable by themselves, or the best one if `answer`, the probability that the answer
    is among the hits, is high. (Equivalent memories share the probability of one.)"""
    ordered = sorted(hits, key=lambda hit: -hit.probability)
    if not ordered:
        return [], False
    threshold = max(limits.least, limits.ratio * ordered[0].probability)
    sure = [hit for hit in ordered if hit.probability >= threshold][: limits.most]
    if sure:
        return sure, True
    if answer < limits.known:
        return [hit for hit in ordered if hit.probability >= limits.strict][:3], False
    worth = [
        hit
        for hit in ordered
        if hit.probability >= (_MIN_TURN_PROBABILITY if hit.kind == "turn" else _MIN_OTHER_PROBABILITY)
    ]
    alike = limits.ratio * worth[0].probability if worth else 1.0
    return [hit for hit in worth if hit.probability >= min(alike, limits.strict)][:3], False


def prompt_context(
    host: HookContext,
    prompt: str,
    session: str,
    folder: str = "",
    agent: str = "",
    is_late: Callable[[], bool] = lambda: False,
) -> Injection:
    """Return decisions about what a prompt names or leads to, and standing rules; memories about the question if there are
    none, or it is brief, and it is not late."""
    if (
        len(prompt.strip().encode("utf-8", "surrogatepass")) < _SHORTEST
        or not is_indexed(host)
        or written_by_host(prompt)
    ):
        return Injection()
    known = already_injected(host, session, agent)
    decided = _decision_context(host, decisions.decisions_for_prompt(host, prompt, session, folder, known))
    paths = [relative_path(name, [one for one in (folder,) if one]) for name in named_files(prompt)]
    bound = _rule_context(host, rules.rules_for(host, prompt, paths, session), known | set(decided.ids))
    if not (decided.text or bound.text):
        return _search(host, prompt[:_LONGEST], session, None, agent, folder)
    asks = _asks_briefly(prompt) and not is_late()
    asked = _search(host, prompt, session, None, agent, folder, stated=True) if asks else Injection()
    repeated = set(asked.ids) & {*decided.ids, *bound.ids}
    return join_injections(Injection() if repeated else asked, join_injections(bound, decided))


def _asks_briefly(prompt: str) -> bool:
    return len(prompt) <= _BRIEF and is_request_for_answer(prompt)


def _rule_context(
    host: HookContext, found: Sequence[Stored], known: set[str], head: str = "Standing rules:"
) -> Injection:
    """Return these standing rules without those that are known."""
    found = [one for one in found if not known & {one.item.id, one.item.event}]
    fresh = [item for item in load_details(host, found[:_RULES]) if not item.withheld and item.origin in TRUSTED]
    return pack_lines([(item, f"{heading_of(item)}: {one_line(item.content, LONG)}") for item in fresh], head)


def tool_context(
    host: HookContext,
    arguments: Mapping[str, Any],
    session: str,
    folder: str = "",
    *,
    agent: str = "",
    writes: bool = True,
) -> Injection:
    """Return what the agent should know before a tool call: that the command or file failed before, decisions about the file it
    is about to change or read, or else very similar failures."""
    command = str(arguments.get("command") or "")
    path = str(arguments.get("file_path") or arguments.get("notebook_path") or "")
    if not is_indexed(host) or not (command or path).strip():
        return Injection()
    known = already_injected(host, session, agent)
    same = (
        warnings.gotchas_for_command(host, command)
        if command
        else warnings.open_gotchas_for_files(host, [warnings.relative_to(path, folder)])
    )
    warned = already_injected(host, session, agent, events=_WARNS)
    fresh = [
        item
        for item in load_details(host, same)
        if item.id not in (warned if command and has_fix(item.content) else known) and not item.withheld
    ]
    failed = pack_lines([(item, gotcha_line(item)) for item in fresh[:_WARNINGS]], "This failed before:")
    if path and not command:
        known |= set(failed.ids)
        decided = _decision_context(
            host, decisions.decisions_for_file(host, arguments, session, folder, known, writes=writes)
        )
        bound = Injection()
        if writes:
            places = [relative_path(path, [one for one in (decisions.root_of(folder), folder) if one])]
            text = decisions.added_text(arguments)
            undone = _rule_context(
                host, rules.corrections_undone(host, arguments, session), warned, "This edit undoes:"
            )
            decided = decided if undone.text == "" else Injection()  # the correction says it in few words
            known |= {*decided.ids, *undone.ids}
            bound = join_injections(undone, _rule_context(host, rules.rules_for(host, text, places, session), known))
        found = join_injections(failed, join_injections(bound, decided))
        if found.text or not writes:
            return found
    if not command:  # a failure elsewhere says nothing about this file
        return failed
    run = rules.rules_about_running(host, command, session, folder)  # at the command, whatever the session began with
    due = {name for one in run if one.item.id not in warned for name in (one.item.id, one.item.event)}
    known = (known | set(failed.ids)) - due
    bound = _rule_context(host, _each_once([*run, *rules.rules_for(host, command, (), session)]), known)
    rest = failed if same else _search(host, command[:_LONGEST], session, ("gotcha",), agent)
    return join_injections(bound, rest)


def _each_once(found: Sequence[Stored]) -> list[Stored]:
    return list({one.row: one for one in found}.values())


def failure_context(host: HookContext, output: str, session: str, *, agent: str = "") -> Injection:
    """Return what fixed the same failure before, right after it occurred again."""
    if not is_indexed(host):
        return Injection()
    known = already_injected(host, session, agent)
    found = [
        item
        for item in load_details(host, warnings.gotchas_for_output(host, output))
        if item.id not in known and not item.withheld
    ]
    return pack_lines([(item, gotcha_line(item)) for item in found[:_WARNINGS]], "This failure was solved before:")


def _decision_context(host: HookContext, found: Sequence[Shown]) -> Injection:
    """Return decisions, fenced. What was derived from them counts as shown."""
    if not found:
        return Injection()
    trouble = [one for one in found if all(stored.item.kind == "gotcha" for stored in one.items)]
    decided = [one for one in found if one not in trouble]
    found = [*decided, *trouble]
    items = [stored for one in found for stored in one.items]
    only_patterns = all(stored.item.kind == "pattern" for stored in items)
    heading = "Usual so far" if only_patterns else "Decided before"
    parts = [(f"{heading} (check against the code):", decided), ("What failed here before:", trouble)]
    text = fence_recalled(
        "\n".join(
            line for head, some in parts if some for line in (head, *(line for one in some for line in one.lines))
        )
    )
    derived = [fact for stored in items for fact in derived_facts(host, stored.item)]
    citations = tuple(f"[mem:{one.cite}]" for one in items)
    return Injection(text, count_tokens(text), (*(one.item.id for one in items), *derived), citations)


def _search(
    host: HookContext,
    query: str,
    session: str,
    kinds: Sequence[str] | None,
    agent: str = "",
    folder: str = "",
    *,
    stated: bool = False,
) -> Injection:
    """Return memories about a query, with `stated` only statements that answer it."""
    if not is_indexed(host):
        return Injection()
    limits = Limits.of(os.environ)
    found = host.retriever.search(
        query, k=limits.candidates, kinds=kinds, project=host.project, budget=0, outside=session or None
    )
    known, asked = already_injected(host, session, agent), set(content_words(query))
    said = {hit.content for hit in found.hits if hit.id in known}  # a fact may repeat its source
    new = unapproved_turns(host, found.hits)
    fresh = [
        hit
        for hit in found.hits
        if hit.id not in known and hit.content not in said and not hit.withheld and _is_informative(hit, asked)
        if hit.id not in new
        if not (hit.kind == "gotcha" and warnings.is_resolution(hit.content, query))
        if kinds is None or has_fix(hit.content)  # of another command, an open failure helps nobody
    ]
    if stated or any(STATED in hit.why for hit in fresh):  # what only shares the topic may contradict it
        fresh = [hit for hit in fresh if STATED in hit.why]
    # If the probable answer must not be injected, each remaining hit has to be probable by itself.
    best, left = (max((hit.probability for hit in hits), default=0.0) for hits in (found.hits, fresh))
    answer = found.probability if found.confidence != "none" and left >= _LEFT * best else 0.0
    chosen, sure = select_hits(fresh, limits, answer)
    chosen = [hit for hit in chosen if sure or _shares_rare_word(hit, asked)] or [
        hit for hit in fresh if _contains_question(hit, asked)
    ][:1]
    tree = CitationChecker(decisions.root_of(folder), host.retriever.ports.places)
    lines = check_lines([(hit, memory_line(hit, LONG)) for hit in chosen], tree)
    return pack_lines(
        [*lines, *_shared_failures(host, query, known, limits)],
        "" if sure or not lines else "These may be related:",
        withheld=count_reviewable(host, [hit.id for hit in found.hits if hit.withheld and hit.probability >= FLOOR]),
    )


def _is_informative(hit: Hit, asked: set[str]) -> bool:
    """Return whether a hit is informative: not an earlier question or similar request, not an announcement ("Let me look
    at the tests:"), not a file listing, which is available anyway."""
    if hit.kind != "turn":
        return not is_bare_module(hit.kind, hit.role, hit.content)
    text = hit.content.strip()
    if STATED in hit.why:
        return True
    if only_asks(text) or (is_request_for_answer(_first_sentence(text)) and not _settles(text)):
        return False
    announced = hit.role == "assistant" and len(text) < _BRIEF and bool(_ANNOUNCED.search(text))
    looked = hit.role == "tool" and bool(_LOOKED.match(text))
    return not (is_question(text) or is_request_for_answer(text) or is_echo(asked, text[:LONG]) or announced or looked)


def _first_sentence(text: str) -> str:
    return next(iter(sentences(text)), text)


def _settles(text: str) -> bool:
    """Return whether a text that begins with a question also states something."""
    return score_conclusiveness(extract_statements(text, _BRIEF)) >= _STATES


def _shares_rare_word(hit: Hit, asked: set[str]) -> bool:
    """Return whether a suggestion shares more with the question than a common word."""
    telling = set(map(stem_for_topics, topic_words(" ".join(asked))))
    text = (
        hit.content[:_LONGEST] if hit.kind != "commit" else hit.content.rpartition("\n")[0]
    )  # the last line lists files
    shared = telling.intersection(map(stem_for_topics, topic_words(f"{hit.title} {text}")))
    return len(shared) >= min(2, len(telling)) and len(telling) > 1


def _contains_question(hit: Hit, asked: set[str]) -> bool:
    """Return whether a short hit contains nearly all words of the question: the rest of it is the answer."""
    words = set(content_words(hit.content[:LONG]))
    return len(asked) >= _ENOUGH and len(words & asked) >= _NEARLY * len(asked) and len(words) <= 2 * len(asked)


def _shared_failures(host: HookContext, query: str, known: set[str], limits: Limits) -> list[tuple[Any, str]]:
    """Return failures of other projects with their fixes, if the user enabled that."""
    if host.shared is None:
        return []
    found = host.shared.search(query, k=limits.candidates, kinds=("gotcha",), scope="global", budget=0).hits
    others = [
        hit
        for hit in found
        if not (hit.ref or "").startswith(f"{host.project}:") and hit.id not in known and not hit.withheld
    ]
    return [
        (hit, f"from another project: {memory_line(hit, LONG)}") for hit in select_hits(others, limits)[0][:_FOREIGN]
    ]


def parts_injected(host: HookContext, session: str) -> set[str]:
    """Return the parts of injections, other than memories, that this session was already shown."""
    shown = host.log.read(max(0, host.log.head() - _RECENT), types=("memory_shown",))
    own = (event.payload for event in shown if event.session == session and not event.payload.get("agent"))
    return {part for payload in own for part in payload.get("parts", ())}


def already_injected(host: HookContext, session: str, agent: str = "", events: Collection[str] = ()) -> set[str]:
    """Return what this session was already shown, or its subagent, which only has its own context; with `events` only what
    was shown at these."""
    shown = host.log.read(max(0, host.log.head() - _RECENT), types=("memory_shown",))
    return {
        item
        for event in shown
        if event.session == session
        and event.payload.get("agent", "") == agent
        and (not events or event.payload.get("event") in events)
        for item in event.payload.get("items", ())
    }
