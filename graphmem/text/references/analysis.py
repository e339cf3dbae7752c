"""The grammatical analysis of a text as plain records, so that reference resolution does not depend on spaCy objects.
Only this module uses spaCy's attribute names."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(slots=True)
class Token:
    """A word. `head` and `children` are token numbers; the root of a sentence is its own head."""

    i: int
    start: int
    end: int
    text: str
    lower: str
    tag: str  # Penn Treebank
    dep: str  # ClearNLP
    head: int
    sentence: int
    entity: str  # OntoNotes type or ""
    entity_start: bool
    children: list[int] = field(default_factory=list)


@dataclass
class Analysis:
    """All words of a text, in order."""

    text: str
    tokens: list[Token]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """First token and the one after the last, for each sentence."""
        bounds: list[tuple[int, int]] = []
        for token in self.tokens:
            if token.sentence == len(bounds):
                bounds.append((token.i, token.i + 1))
            else:
                bounds[-1] = (bounds[-1][0], token.i + 1)
        return bounds

    def ancestors(self, i: int) -> list[int]:
        """Token numbers from the head of `i` up to the root."""
        path: list[int] = []
        while self.tokens[i].head != i and len(path) < 200:
            i = self.tokens[i].head
            path.append(i)
        return path


def analyse_text(doc: Doc) -> Analysis:
    """Copy what the resolver needs from a parsed document."""
    tokens: list[Token] = []
    sentence = -1
    for t in doc:
        sentence += bool(t.is_sent_start) or t.i == 0
        tokens.append(
            Token(
                t.i, t.idx, t.idx + len(t), t.text, t.lower_, t.tag_, t.dep_, t.head.i, sentence,
                t.ent_type_, t.ent_iob_ == "B",
            )
        )  # fmt: skip
    for token in tokens:
        if token.head != token.i:
            tokens[token.head].children.append(token.i)
    return Analysis(doc.text, tokens)
