"""A hard budget for a model: the maximum cost of a call is compared with the rest of the daily budget before the call,
because a limit checked afterwards has already been paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.errors import ModelError
from graphmem.plurals import counted
from graphmem.ports.backlog import Spending
from graphmem.ports.clock import Clock
from graphmem.ports.writer import Writer, Written
from graphmem.text.tokens import count_tokens

if TYPE_CHECKING:
    from pydantic import BaseModel

_DAY = 86_400_000_000  # microseconds
_TRIES = 2  # a call and one retry
_FORM = 400  # maximum tokens of the form itself


class BudgetedWriter:
    """A writer that rejects calls beyond the daily budget, and counts all others."""

    def __init__(self, writer: Writer, spending: Spending, clock: Clock, a_day: int, a_call: int) -> None:
        self._writer = writer
        self._spending = spending
        self._clock = clock
        self._a_day = a_day
        self._a_call = a_call

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self._writer.name

    def write(self, instructions: str, text: str, form: type[BaseModel]) -> Written:
        day = self._clock.now() // _DAY
        spent = self._spending.spent(day)
        sent = count_tokens(instructions) + count_tokens(text) + _FORM
        worst = _TRIES * (sent + self._a_call)
        left = self._a_day - spent.get("tokens_in", 0) - spent.get("tokens_out", 0)
        if worst > left:
            self._spending.spend(day, refused=1)
            raise ModelError(
                f"the model was not called: {counted(left, 'token is', 'tokens are')} left today, but the call may need {worst}",
                left=left,
            )
        try:
            written = self._writer.write(instructions, text, form)
        except ModelError as error:
            cost = error.data.get("tokens_in", sent), error.data.get("tokens_out", 0)
            self._spending.spend(day, calls=1, failed=1, tokens_in=cost[0], tokens_out=cost[1])
            raise
        self._spending.spend(day, calls=1, tokens_in=written.tokens_in, tokens_out=written.tokens_out)
        return written
