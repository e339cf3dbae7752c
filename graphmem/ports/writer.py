"""A language model that fills a form: optional, never on the path of a read, its answers kept as derivations so that a
replay asks none (DESIGN 1.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pydantic import BaseModel


class Written(NamedTuple):
    """The filled form, and what it cost."""

    form: BaseModel
    tokens_in: int
    tokens_out: int


class Writer(Protocol):
    """One model. `name` is kept with everything that it wrote."""

    @property
    def name(self) -> str: ...

    def write(self, instructions: str, text: str, form: type[BaseModel]) -> Written:
        """The form filled from a text. Raises ModelError for every failure: no answer, a wrong one after one repair, or a
        budget that would not last."""
        ...
