"""A language model that fills a form. Optional, and never needed for reads. Its answers are stored as derivations, so a
replay does not call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pydantic import BaseModel


class Written(NamedTuple):
    """The filled form, and its cost."""

    form: BaseModel
    tokens_in: int
    tokens_out: int


class Writer(Protocol):
    """A language model. `name` is stored with everything it wrote."""

    @property
    def name(self) -> str: ...

    def write(self, instructions: str, text: str, form: type[BaseModel]) -> Written:
        """Return the form filled from a text. Raises ModelError for every failure: no answer, an invalid one after one
        retry, or insufficient budget."""
        ...
