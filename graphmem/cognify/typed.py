"""Step `typed`: entities and relations of the types that a project configured for itself (`[types]` in the settings). What
may be configured is checked in `owntypes`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from graphmem.cognify.entities import TYPES, text_of
from graphmem.cognify.source import Source
from graphmem.owntypes import Types

_LIMIT = 6_000  # characters read of one event
_MOST = 40  # entities, relations


class Typed:
    """The configured types, ready to read. `name` is the step's, "" where nothing is configured."""

    types = TYPES

    def __init__(self, types: Types) -> None:
        self.name = types.step
        self._entities = {name: _pattern(spec) for name, spec in types.entities.items()}
        self._relations = [
            (name, spec["from"], spec["to"], self._sentences(spec)) for name, spec in types.relations.items()
        ]

    def _sentences(self, spec: dict[str, Any]) -> list[re.Pattern[str]]:
        ends = {"from": self._entities[spec["from"]].pattern, "to": self._entities[spec["to"]].pattern}
        return [
            re.compile(re.sub(r"\{(from|to)\}", lambda m: f"(?:the )?`?(?P<{m[1]}_>{ends[m[1]]})`?", pattern), re.I)
            for pattern in spec["patterns"]
        ]

    def derive(self, sources: Sequence[Source]) -> list[dict[str, Any] | None]:
        """Return the bodies: `{label, node, item, project, mentions: [[type, name, count]], relations: [[kind, type,
        name, type, name]]}`, None if nothing is named."""
        return [self._body(source) for source in sources]

    def _body(self, source: Source) -> dict[str, Any] | None:
        text = text_of(source.event)[:_LIMIT]
        found = Counter(
            (kind, match.group().lower()) for kind, p in self._entities.items() for match in p.finditer(text)
        )
        if not found:
            return None
        mentions = [[kind, name, count] for (kind, name), count in found.most_common(_MOST)]
        return {"label": source.label, "node": source.node, "item": source.item, "project": source.event.project,
                "mentions": mentions, "relations": list(map(list, dict.fromkeys(self._related(text))))[:_MOST]}  # fmt: skip

    def _related(self, text: str) -> Iterator[tuple[str, str, str, str, str]]:
        for kind, start, end, patterns in self._relations:
            for pattern in patterns:
                for match in pattern.finditer(text):
                    yield kind, start, match["from_"].lower(), end, match["to_"].lower()


def _pattern(spec: dict[str, Any]) -> re.Pattern[str]:
    """Names as whole words, longest first, and the patterns as they are."""
    names = sorted(map(re.escape, spec.get("names", ())), key=lambda name: (-len(name), name))
    parts = [rf"(?<!\w)(?:{'|'.join(names)})(?!\w)"] if names else []
    parts += [f"(?:{pattern})" for pattern in spec.get("patterns", ())]
    return re.compile("|".join(parts), re.I)
