"""What a correction without a subject is about: "No, that is wrong: 45 seconds" corrects the last claim of its thread that
had such a value. The correction becomes a fact of its own in the words of the claim that it corrects; one that fits no
earlier claim makes none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.cognify.claims import CORRECTION, Claim
from graphmem.cognify.packed_entries import Entry

_BACK = 5  # claims of the thread that a correction may reach over


class Amendment(NamedTuple):
    """A correction that found its claim: the fact as it is to be projected, and the entry it was derived in."""

    fact: dict[str, Any]
    entry: Entry


def is_correction(fact: dict[str, Any]) -> bool:
    """Whether a derived fact only corrects another one."""
    claim = fact.get("claim")
    return claim is not None and claim[1] == CORRECTION


def resolve_corrections(entries: Iterable[Entry]) -> Iterator[Amendment]:
    """Yield the corrections among the entries of one thread, in order, that have a claim to correct."""
    said: list[tuple[str, Claim]] = []  # content, claim
    for entry in entries:
        for fact in entry.body["facts"]:
            if not fact.get("claim"):
                continue
            content, claim = fact["content"], Claim(*fact["claim"])
            if claim.predicate == CORRECTION:
                amended = _amend(content, claim.value, said[-_BACK:])
                if amended is None:
                    continue
                content, claim = amended
                yield Amendment(
                    {
                        **fact,
                        "content": content,
                        "claim": list(claim),
                        "subject": claim.subject or fact.get("subject", ""),
                    },
                    entry,
                )
            said.append((content, claim))


def _amend(correction: str, value: str, said: list[tuple[str, Claim]]) -> tuple[str, Claim] | None:
    spelt = re.search(re.escape(value), correction, re.I)
    for content, claim in reversed(said):
        if not claim.value or not claim.holds or _shape(claim.value) != _shape(value) or claim.value == value:
            continue
        place = re.search(re.escape(claim.value), content, re.I)
        if place is None:
            continue
        words = content[: place.start()] + (spelt[0] if spelt else value) + content[place.end() :]
        return words, claim._replace(value=value, former=claim.value, changed=True, reported=False)
    return None


def _shape(value: str) -> tuple[bool, bool]:
    """What kind of value it is: with a number or without, an address or not."""
    return bool(re.search(r"\d", value)), "/" in value
