"""The review methods of `Memory`: list text withheld from agents, and allow or deny it."""

from __future__ import annotations

from typing import Any

from graphmem.browse.review import decide, review
from graphmem.model.table import Table
from graphmem.retrieve.guard import ALLOW, DENY
from graphmem.services.evolution import plain_citation


class ReviewService:
    """Review methods."""

    _parts: Any

    def review(self, *, limit: int = 50, every: bool = False) -> Table:
        """Return memories withheld from agents because they contain instructions, newest first, with origin and
        reasons. With `every`, include those already allowed or denied."""
        return review(self._parts, limit=limit, every=every)

    def allow(self, id: str) -> dict[str, str]:
        """Let agents see a withheld event or item (also by citation). Raises NotFound."""
        return decide(self._parts, plain_citation(id), ALLOW)

    def deny(self, id: str) -> dict[str, str]:
        """Never show an event or item (also by citation) to agents. Raises NotFound."""
        return decide(self._parts, plain_citation(id), DENY)
