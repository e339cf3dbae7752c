"""What a person decides about text that is withheld from agents: the list, and the verdicts."""

from __future__ import annotations

from typing import Any

from graphmem.browse.review import decide, review
from graphmem.model.table import Table
from graphmem.retrieve.guard import ALLOW, DENY
from graphmem.services.evolution import plain_citation


class ReviewService:
    """What `Memory` can do about what is withheld from agents."""

    _parts: Any

    def review(self, *, limit: int = 50, every: bool = False) -> Table:
        """What is withheld from agents because it gives them orders, newest first, with its origin and the reasons; with
        `every`, also what was allowed or denied."""
        return review(self._parts, limit=limit, every=every)

    def allow(self, id: str) -> dict[str, str]:
        """Let agents see something that was withheld (an event, item or citation). Raises NotFound."""
        return decide(self._parts, plain_citation(id), ALLOW)

    def deny(self, id: str) -> dict[str, str]:
        """Never show something to an agent (an event, item or citation), whatever it says. Raises NotFound."""
        return decide(self._parts, plain_citation(id), DENY)
