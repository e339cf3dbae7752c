"""Extracts the steps of a session that succeeded: which command did which work, both as typed and without variable
parts. `skills` mines procedures from these steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.episodes import TWO_WORDS, steps_of
from graphmem.cognify.packed_entries import Entry
from graphmem.patterns import compile_later

# Commands that only look, move files or wait: no step of a procedure.
_LOOKS = compile_later(
    r"(?:ls|cat|head|tail|grep|rg|find|wc|pwd|which|tree|file|stat|diff|echo|ps|env|date|less|sed|awk|sort|jq|du|df|history"
    r"|type|curl|sleep|mkdir|rm|cp|mv|chmod|touch|kill|pkill|open|man|read|printf|test|for|while|if"
    r"|git (?:status|log|diff|show|branch|blame|ls-files|ls-tree|remote|rev-parse|rev-list|fetch|stash|checkout|switch|config)"
    r"|(?:gh|bd) (?:show|list|ready|view|status|auth)|docker (?:ps|logs|images)|kubectl (?:get|logs|describe))\b"
)
_RUNNERS = frozenset({"npm run", "pnpm run", "yarn run", "bun run", "uv run", "poetry run", "python manage.py"})
_VARIES = compile_later(r"[/.=]|\d{2,}|[A-Z]{2,}")
_MAJORITY = 0.5


class Run(NamedTuple):
    """One step that succeeded. `verb` names the work (`mix test`), `text` is what was typed (`mix test --failed`)."""

    clock: int
    at: int
    session: str
    verb: str
    text: str
    label: str
    node: str


def runs_of(entries: Iterable[Entry]) -> list[Run]:
    """Return the steps of one place that succeeded and may have changed or checked something, in their order."""
    return [
        Run(entry.clock, entry.at, entry.body["session"], verb, text, entry.body["label"], entry.body["node"])
        for entry in entries
        if entry.step == EPISODES and entry.body["kind"] == "run" and entry.body["ok"]
        for verb, text in _named(entry.body["command"])
    ]


def _named(command: str) -> Iterator[tuple[str, str]]:
    for key, text in steps_of(command):
        if not _LOOKS.match(key):
            yield verb_of(key), text


def verb_of(key: str) -> str:
    """Return the work that a step does, without what it does it to: program, subcommand, and what a runner runs."""
    words = key.split()
    if words[0] not in TWO_WORDS or len(words) == 1 or "/" in words[1]:
        return words[0]
    verb = " ".join(words[:2])
    return f"{verb} {words[2]}" if verb in _RUNNERS and len(words) > 2 else verb


def wording(verb: str, texts: Sequence[str]) -> str:
    """Return how a step is typed: as it is most of the time, else as far as most agree, with `…` for what varies."""
    common, times = Counter(texts).most_common(1)[0]
    if times > _MAJORITY * len(texts) and (len(texts) > 1 or not _VARIES.search(common.removeprefix(verb))):
        return common
    shared: list[str] = []
    for length in range(1, max(len(text.split()) for text in texts) + 1):
        heads = Counter(tuple(text.split()[:length]) for text in texts if len(text.split()) >= length)
        if not heads or (best := heads.most_common(1)[0])[1] <= _MAJORITY * len(texts):
            break
        if length > len(verb.split()) and _VARIES.search(best[0][-1]):
            break
        shared = list(best[0])
    text = " ".join(shared) or verb
    return text if all(each == text for each in texts) else f"{text} …"
