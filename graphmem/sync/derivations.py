"""Derives knowledge from the events of the log: in this process, or in a helper process next to other work. Has few imports,
because the helper starts with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from graphmem.cognify.steps import STEPS, Step, retry_failed, run_steps, with_writer
from graphmem.cognify.triggers import ALL
from graphmem.cognify.typed import Typed
from graphmem.context import StoreContext
from graphmem.log.upcast import upcast
from graphmem.tasks.learn import STEP as LEARNED
from graphmem.tasks.learn import TYPES, learn_tasks

COGNIFIED = "+".join(step.name for step in STEPS) + f"+{LEARNED}"  # mark in the log: events that all steps have seen


@contextmanager
def derivations_followed(context: StoreContext, stages: Collection[str] = ALL) -> Iterator[None]:
    """Let another process, if there is one, derive from events while this one records them. It continues after this context
    until `finish_derivations`, but does not outlive a failure."""
    with _ended_on_failure(context):
        if context.renewal.deriver is not None:
            context.renewal.deriver.follow(stages)
        yield


@contextmanager
def derivations_beside(context: StoreContext, stages: Collection[str]) -> Iterator[None]:
    """Let another process, if there is one, begin with the derivations. It does not outlive a failure."""
    with _ended_on_failure(context):
        _start_derivations(context, stages)
        yield


@contextmanager
def _ended_on_failure(context: StoreContext) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if context.renewal.deriver is not None:
            context.renewal.deriver.close()
        raise


def _start_derivations(context: StoreContext, stages: Collection[str]) -> None:
    """Start the other process on new events, if there are any that a step reads, or if it has to say what it derived."""
    if context.renewal.deriver is None:
        return
    seen, types = context.log.state.watermark(COGNIFIED), frozenset().union(*(step.types for step in STEPS))
    if context.renewal.deriver.is_following or any(True for _ in context.log.read(seen, types=types)):
        context.renewal.deriver.start(stages)


def finish_derivations(context: StoreContext, stages: Collection[str]) -> int:
    """Run the derivation stages: the other process completes what it began, and this one does the rest."""
    derived = 0
    if context.renewal.deriver is not None:
        derived = context.renewal.deriver.finish()
        _start_derivations(context, stages)  # on events that were recorded meanwhile
        derived += context.renewal.deriver.finish()
    return derived + run_derivations(context, stages)


def run_derivations(context: StoreContext, stages: Collection[str] = ALL) -> int:
    """Run the steps on events that they have not seen, and extract tasks; return the number of new derivations."""
    log, backlog, buffer = context.log, context.backlog, context.settings.buffer
    chosen = tuple(step for step in STEPS if step.name.partition("/")[0] in stages)
    steps = with_writer(chosen, context.writer, buffer.window, buffer.overlap)
    total = retry_failed(log, backlog.due(), steps, backlog)
    if log.state.watermark(COGNIFIED) >= log.head():
        return total
    with log.lease(COGNIFIED):  # another store of a shared log may be at it
        seen, head = log.state.watermark(COGNIFIED), log.head()
        if seen >= head:
            return total
        types = frozenset().union(*(step.types for step in steps))
        total += run_steps(log, upcast(log.read(seen, types=types, upto=head)), steps, backlog)
        if chosen != STEPS:  # the other steps still have to see these events
            return total
        learn_tasks(context.tasks, log, upcast(log.read(seen, types=TYPES, upto=head)))
        log.state.save_watermark(COGNIFIED, head)
    return total


def read_types(context: StoreContext) -> int:
    """Extract custom entities and relations from all events that this configuration has not seen."""
    log, typed = context.log, Typed(context.settings.types)
    seen, head = log.state.watermark(typed.name), log.head()
    if not typed.name or seen >= head:
        return 0
    step = Step(typed.name, typed.types, typed.derive)
    total = run_steps(log, upcast(log.read(seen, types=typed.types, upto=head)), [step], context.backlog)
    log.state.save_watermark(typed.name, head)
    return total
