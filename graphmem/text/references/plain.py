"""Resolves pronouns for persons without a parser: Korean ones always, English ones only if no parser is installed.
Selects the nearest preceding person with compatible gender."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later
from graphmem.text.references.focus import Link
from graphmem.text.references.mentions import PRONOUNS
from graphmem.text.references.people import load_lexicon

_KOREAN = compile_later(r"(?<![가-힣A-Za-z])(그녀|그)(?=(?:는|가|의|를|에게|와|도)(?![가-힣]))")
_ENGLISH = compile_later(
    rf"\b(?:{'|'.join(word for word, (number, _) in PRONOUNS.items() if number == 'person')})\b", re.IGNORECASE
)


def resolve_people_plainly(text: str, entities: Sequence[EntityMention], *, korean_only: bool) -> list[Link]:
    """Return links of pronouns to the nearest fitting person before them."""
    people = [e for e in entities if e.type == "person"]
    if not people:
        return []
    pronouns = list(_KOREAN.finditer(text)) + ([] if korean_only else list(_ENGLISH.finditer(text)))
    found = []
    for match in sorted(pronouns, key=lambda m: m.start()):
        gender = PRONOUNS.get(match.group().lower(), ("", None))[1]
        for person in reversed([p for p in people if p.end <= match.start()]):
            known = load_lexicon().gender_of_name(person.text.lower().split())
            if gender is None or known is None or known == gender:
                found.append(Link(match.start(), match.end(), person.start, person.end))
                break
    return found
