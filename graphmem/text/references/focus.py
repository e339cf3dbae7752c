"""Resolves references to things: "it", "they", "this", "the bug", "그 함수". Reads a text from left to right; each resolved
reference makes its thing salient again. Persons are resolved in `ranker.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphmem.model.text import EntityMention
from graphmem.text.entities.wordlists import word_set
from graphmem.text.references.analysis import Analysis, Token
from graphmem.text.references.descriptions import Pointer, find_descriptions, find_pointers, subject_gain
from graphmem.text.references.features import Pronoun, find_pronouns
from graphmem.text.references.grammar import Grammar
from graphmem.text.references.mentions import Entity, Mention, find_mentions
from graphmem.text.references.people import load_lexicon
from graphmem.text.references.shapes import bare_demonstratives, is_expletive
from graphmem.text.references.things import ROLE_GAIN, Stage, Thing, load_kinds, named_things

_POINTER_REACH, _PRONOUN_REACH = 10, 3  # sentences
_PARALLEL = 15.0
_TIMES = word_set("DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL NORP LANGUAGE")
_VERSION = frozenset({"version"})
# Nouns that rarely are what a later "it" means.
_VAGUE = word_set(
    """way lot thing time day case part point kind sort bit number reason moment rest place end side order fact turn
    year week month hour minute second while example sense addition result"""
)


class Link(NamedTuple):
    """The mention at `start:end` means what is at `antecedent_start:antecedent_end`."""

    start: int
    end: int
    antecedent_start: int
    antecedent_end: int


def resolve_things(text: str, entities: Sequence[EntityMention], analysis: Analysis | None) -> list[Link]:
    """Return links of all definite mentions and, with an analysis, of all pronouns for things, in order."""
    reader = _Reader(text, entities, analysis)
    return [*filter(None, map(reader.step, reader.steps))]


class _Reader:
    def __init__(self, text: str, entities: Sequence[EntityMention], analysis: Analysis | None) -> None:
        self.text = text
        things = named_things(entities)
        taken = [(e.start, e.end) for e in entities]
        for thing in find_descriptions(text):
            if any(thing.start <= t.start and t.end <= thing.end and t.kinds & thing.kinds for t in things if t.named):
                continue  # "the x.py file" is x.py
            thing.places.append((thing.start, subject_gain(text, thing)))
            things.append(thing)
        steps: list[tuple[int, Pointer | Pronoun]] = [
            (p.start, p)
            for p in find_pointers(text)
            if not _names_itself(p, taken) and not _overlaps(p.start, p.end, taken)
        ]
        steps += [(p.start, p) for p in bare_demonstratives(text)]
        self.grammar: Grammar | None = None
        if analysis is not None:
            self.grammar = Grammar(analysis)
            things += self._noun_phrases(analysis, things)
            self._note_roles(analysis, things)
            for number in ("thing", "many"):
                steps += [(analysis.tokens[p.i].start, p) for p in find_pronouns(self.grammar, number)]
        self.stage = Stage(text, things)
        self.steps = [step for _, step in sorted(steps, key=lambda pair: pair[0])]

    def step(self, mention: Pointer | Pronoun) -> Link | None:
        """Resolve one mention and bring its thing into focus."""
        if isinstance(mention, Pointer):
            start, end, role = mention.start, mention.end, ""
            thing = self._of_pointer(mention)
        else:
            assert self.grammar is not None
            token = self.grammar.tokens[mention.i]
            start, end, role = token.start, token.end, mention.role
            thing = self._of_pronoun(mention, token)
        if thing is None:
            return None
        self.stage.drop(start, end)
        thing.places.append((start, ROLE_GAIN.get(role, ROLE_GAIN[""])))
        return Link(start, end, thing.start, thing.end)

    def _of_pointer(self, pointer: Pointer) -> Thing | None:
        if pointer.noun in {"this", "that"}:
            return self.stage.find(pointer.start, pointer.kinds, "", 1)
        wanted = pointer.kinds or frozenset().union(*load_kinds().of_noun.values())
        reach = _POINTER_REACH if pointer.kinds else _PRONOUN_REACH
        return self.stage.find(pointer.start, wanted, pointer.noun, reach)

    def _of_pronoun(self, pronoun: Pronoun, token: Token) -> Thing | None:
        plural = token.lower.startswith("the")
        if not plural and is_expletive(self.text, token.start):
            return None
        fitting = [
            t for t in self.stage.before(token.start, _PRONOUN_REACH)
            if t.plural == plural and t.kinds != _VERSION and not self._fellow_argument(pronoun, t)
        ]  # fmt: skip
        return max(fitting, key=lambda t: self._fitness(t, pronoun, token.start), default=None)

    def _fitness(self, thing: Thing, pronoun: Pronoun, at: int) -> float:
        last_gain = max((p for p in thing.places if p[0] < at), default=(0, 0.0))[1]
        parallel = _PARALLEL if pronoun.role == "subj" and last_gain == ROLE_GAIN["subj"] else 0.0
        return self.stage.salience(thing, at) + parallel

    # --- what the parse adds ---

    def _noun_phrases(self, analysis: Analysis, things: list[Thing]) -> list[Thing]:
        """Nouns and names that no rule has found, and coordinated ones as a group."""
        taken = [(t.start, t.end) for t in things]
        mentions, people = find_mentions(analysis)
        found = []
        for mention in mentions:
            head = analysis.tokens[mention.head]
            if head.entity in _TIMES or head.lower in _VAGUE or head.dep == "npadvmod":
                continue
            group = _group(analysis, mention)
            if group:
                found.append(group)
            if not _is_person(mention, people) and not _overlaps(mention.start, mention.end, taken):
                of_noun = load_kinds().of_noun.get(head.lower, frozenset())
                found.append(
                    Thing(mention.start, mention.end, of_noun, mention.kind == "name", head.lower, mention.plural)
                )
            elif mention.plural and _is_person(mention, people):
                found.append(Thing(mention.start, mention.end, frozenset(), False, head.lower, True))
        return found

    def _note_roles(self, analysis: Analysis, things: list[Thing]) -> None:
        assert self.grammar is not None
        by_start = {t.start: t for t in analysis.tokens}
        for thing in things:
            starts = [thing.start, *(s for s, _ in thing.places)]
            for start in starts:
                token = by_start.get(start)
                if token is not None:
                    end = thing.end if start == thing.start else start + 1
                    role = self.grammar.role(_head(analysis, token, end))
                    thing.places.append((start, ROLE_GAIN.get(role, ROLE_GAIN[""])))

    def _fellow_argument(self, pronoun: Pronoun, thing: Thing) -> bool:
        """Return whether pronoun and thing are arguments of one verb (principle B): "it broke it" are two things; "its" may
        well belong to another argument."""
        grammar = self.grammar
        if grammar is None:
            return False
        if pronoun.role == "poss":
            return self._predicate(pronoun, thing)
        clause = grammar.tokens[grammar.clause[pronoun.i]]
        if clause.dep == "relcl" and thing.start <= grammar.tokens[clause.head].start < thing.end:
            return True  # "the commit that fixed it", "the commit it fixed"
        verb = grammar.governor(pronoun.i)
        places = {thing.start, *(s for s, _ in thing.places)}
        return verb >= 0 and any(
            t.start in places and grammar.governor(_head(grammar.analysis, t, thing.end)) == verb
            for t in grammar.tokens[max(0, pronoun.i - 60) : pronoun.i]
        )

    def _predicate(self, pronoun: Pronoun, thing: Thing) -> bool:
        """Return whether a thing is what the owned noun is said to be: in "X is its fork", X is not the owner."""
        assert self.grammar is not None
        owned = self.grammar.tokens[self.grammar.tokens[pronoun.i].head]
        subject = self.grammar.subject(owned.head) if owned.dep == "attr" else -1
        return subject >= 0 and thing.start <= self.grammar.tokens[subject].start < thing.end


def _head(analysis: Analysis, first: Token, end: int) -> int:
    """Return the word of `first.start:end` whose head lies outside."""
    last = first.i + 1
    while last < len(analysis.tokens) and analysis.tokens[last].start < end:
        last += 1
    for token in analysis.tokens[first.i : last]:
        if not first.i <= token.head < last or token.head == token.i:
            return token.i
    return first.i


def _group(analysis: Analysis, mention: Mention) -> Thing | None:
    """ "A, B and C" as one plural thing."""
    parts = [mention.head]
    while True:
        further = [c for c in analysis.tokens[parts[-1]].children if analysis.tokens[c].dep == "conj"]
        if not further or analysis.tokens[further[0]].tag[:2] != "NN":
            break
        parts.append(further[0])
    if len(parts) == 1 or analysis.tokens[mention.head].dep == "conj":
        return None
    return Thing(mention.start, analysis.tokens[parts[-1]].end, frozenset(), False, "", True)


def _is_person(mention: Mention, entities: list[Entity]) -> bool:
    entity = entities[mention.entity]
    if mention.kind == "noun" and load_lexicon().also_things.intersection(mention.words[-1:]):
        return False
    return entity.person or entity.type == "PERSON"


def _names_itself(pointer: Pointer, taken: list[tuple[int, int]]) -> bool:
    """Return whether the name follows at once: "the file x.py", "the x() function"."""
    return any(0 < start - pointer.end <= 3 for start, _ in taken)


def _overlaps(start: int, end: int, taken: list[tuple[int, int]]) -> bool:
    return any(s < end and start < e for s, e in taken)
