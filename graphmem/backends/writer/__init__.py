"""Language models through pydantic-ai, with a budget that is checked before each call."""

from __future__ import annotations

from graphmem.backends.writer.budget import BudgetedWriter
from graphmem.backends.writer.models import PydanticWriter
from graphmem.ports.backlog import Spending
from graphmem.ports.clock import Clock
from graphmem.ports.writer import Writer
from graphmem.settings import Model


def make_writer(chosen: Model, key: str, spending: Spending, clock: Clock) -> Writer | None:
    """Return the configured language model, or None."""
    if chosen.provider == "none":
        return None
    return BudgetedWriter(PydanticWriter(chosen, key), spending, clock, chosen.tokens_a_day, chosen.tokens_a_call)
