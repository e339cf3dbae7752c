"""Shows which steps of an agent came of which injected memories: at the memory its steps, at the step its memories, each with the
words that connect them. Only traces in the log count: a citation, or a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nicegui import ui

from graphmem.browse.injections import ACTED_ON, QUOTED, RELATED, Consequence, Injection, trace_injections
from graphmem.browse.story import ANSWER, SHOWN, Chapter, Step
from graphmem.interfaces.web.parts import div, text
from graphmem.interfaces.web.view import View, address
from graphmem.model.results import Detail

_LISTED = 4  # steps of a memory, and memories of a step
_NAMES = 60  # characters


class Source(NamedTuple):
    """The memory that a step came of, and the injection that contained it."""

    found: Consequence
    shown: str


class Traces:
    """What came of the injections of one session. `session` is its name in links."""

    def __init__(self, session: str, chapters: Sequence[Chapter], details: Mapping[str, Detail]) -> None:
        self.session, self.details = session, details
        texts = {id: " ".join((one.title, one.content, *one.files)) for id, one in details.items()}
        traced = trace_injections(chapters, texts)
        self.injections: list[Injection] = [injection for injection, _ in traced]
        self._by_memory: dict[tuple[str, str], list[Consequence]] = defaultdict(list)
        self._by_step: dict[str, list[Source]] = defaultdict(list)
        for injection, found in traced:
            for one in found:
                self._by_memory[injection.step.id, one.item].append(one)
                self._by_step[one.step.id].append(Source(one, injection.step.id))

    def steps_of(self, shown: str, item: str) -> list[Consequence]:
        """Return the steps that came of a memory in an injection; those that only name the same, if there are no others."""
        found = self._by_memory.get((shown, item), [])
        return [one for one in found if one.how != RELATED] or found

    def sources_of(self, step: str, shown: str = "") -> list[Source]:
        """Return the memories that a step came of, each once, certain ones first; only of one injection if it is named."""
        found = [
            one for one in self._by_step.get(step, ()) if shown in ("", one.shown) and one.found.item in self.details
        ]
        ordered = sorted(found, key=lambda one: (QUOTED, ACTED_ON, RELATED).index(one.found.how))
        once = {one.found.item: one for one in reversed(ordered)}
        return sorted(once.values(), key=lambda one: (QUOTED, ACTED_ON, RELATED).index(one.found.how))

    def used(self, shown: str, items: Iterable[str]) -> int:
        """Return how many steps came of an injection, without those that only name the same."""
        found = [one for item in items for one in self._by_memory.get((shown, item), ())]
        return len({one.step.id for one in found if one.how != RELATED})


def shown_items(steps: Iterable[Step]) -> list[str]:
    """Return the ids of the memories that were injected in these steps."""
    return list(dict.fromkeys(id for step in steps if step.kind == SHOWN for id in step.items))


def name_step(step: Step) -> str:
    """Return a step in one line: the tool and what it was called with, or the start of an answer."""
    return " ".join((step.text if step.kind == ANSWER else f"{step.tool} {step.what}").split())


def steps_of_memory(view: View, traces: Traces, shown: str, item: str) -> None:
    """List under a memory what the agent did with it."""
    found = traces.steps_of(shown, item)
    for one in found[:_LISTED]:
        with div("gm-line gm-came").props(f'data-how="{one.how}"'):
            ui.icon("subdirectory_arrow_right").props('aria-hidden="true"')
            target = address("/sessions", id=traces.session, turn=one.step.id)
            ui.link(f"{view.clock(one.step.at)} {name_step(one.step)[:90]}", target).classes("gm-linked gm-clip")
            text(_why(view, one), "gm-time gm-why-came")
    if len(found) > _LISTED:
        text(view.t("and {n} more steps", n=len(found) - _LISTED), "gm-time")


def sources_of_step(view: View, traces: Traces, step: str, shown: str = "") -> None:
    """List under a step the memories that it came of."""
    found = traces.sources_of(step, shown)
    certain = [one for one in found if one.found.how != RELATED]
    for one in (certain or found)[:_LISTED]:
        known = traces.details[one.found.item]
        with div("gm-line gm-came").props(f'data-how="{one.found.how}"'):
            ui.icon("school").props('aria-hidden="true"')
            title = " ".join((known.title or known.content).split())[:_NAMES]
            said = view.t("from “{title}”", title=title) if one.found.how != RELATED else f"“{title}”"
            ui.link(said, address("/sessions", id=traces.session, turn=one.shown)).classes("gm-linked gm-clip")
            text(_why(view, one.found), "gm-time gm-why-came")


def _why(view: View, one: Consequence) -> str:
    return {
        QUOTED: view.t("cites it"),
        ACTED_ON: view.t("names “{name}”, which only the memory had named before", name=one.name),
        RELATED: view.t("also names “{name}”", name=one.name),
    }[one.how]
