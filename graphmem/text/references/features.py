"""Features for and against a person as the antecedent of a pronoun: distance, roles and parallels, binding, gender,
prominence (after Lappin and Leass 1994, Grosz, Joshi and Weinstein 1995, Webster et al. 2018). Their weights are in
`weights.py`."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.text.entities.wordlists import word_set
from graphmem.text.references.analysis import Analysis
from graphmem.text.references.grammar import Grammar
from graphmem.text.references.mentions import PRONOUNS, REFLEXIVES, Entity, Mention
from graphmem.text.references.people import Gender, load_lexicon

_SUBJECTS = frozenset({"subj", "pass"})
_PREPOSITIONS = word_set("of by with for to in from as at on about between like against after under")
_TYPES = word_set("PERSON ORG GPE NORP WORK_OF_ART PRODUCT FAC LOC EVENT")
_SENTENCES_BACK, _SENTENCES_AHEAD = 12, 4


@dataclass(frozen=True, slots=True)
class Pronoun:
    """The pronoun at token `i`; `role` is subj, obj, poss or refl."""

    i: int
    gender: Gender | None
    role: str


def find_pronouns(grammar: Grammar, number: str = "person") -> list[Pronoun]:
    """Return the pronouns of the third person of one class: "person", "thing" or "many"."""
    found = []
    for token in grammar.tokens:
        known = PRONOUNS.get(token.lower)
        if known and known[0] == number:
            found.append(Pronoun(token.i, known[1], _pronoun_role(grammar, token.i)))
    return found


def _pronoun_role(grammar: Grammar, i: int) -> str:
    """By form first: it is surer than the parse."""
    token = grammar.tokens[i]
    if token.lower in REFLEXIVES:
        return "refl"
    if token.lower in {"he", "she", "they"}:
        return "subj"
    if token.lower in {"his", "hers", "its", "their", "theirs"} or token.tag == "PRP$":
        return "poss"
    if token.lower in {"him", "them", "her"}:
        return "obj"
    return "subj" if grammar.role(i) in _SUBJECTS else "obj"


class Scene:
    """A text with its mentions and entities, prepared for many questions."""

    def __init__(self, analysis: Analysis, mentions: list[Mention], entities: list[Entity]) -> None:
        self.grammar = Grammar(analysis)
        self.analysis, self.tokens = analysis, analysis.tokens
        self.mentions, self.entities = mentions, entities
        self.pronouns = find_pronouns(self.grammar)
        self.people = [m for m in mentions if not m.plural and (m.kind == "name" or entities[m.entity].person)]

    def candidates(self, pronoun: Pronoun) -> list[Mention]:
        """Return mentions of people near enough that the pronoun could mean as far as gender tells."""
        here = self._sentence(pronoun.i)
        return [
            m
            for m in self.people
            if self._agrees(pronoun, self.entities[m.entity])
            and -_SENTENCES_AHEAD <= here - self._sentence(m.head) <= _SENTENCES_BACK
        ]

    def features(self, pronoun: Pronoun, mention: Mention, rivals: list[Mention]) -> list[str]:
        """Return all that holds of the pair; `rivals` are all candidates of this pronoun."""
        return [
            *self._place(pronoun, mention, rivals),
            *self._roles(pronoun, mention),
            *self._binding(pronoun, mention),
            *self._elsewhere(pronoun, mention),
            *self._discourse(pronoun, mention),
            *self._kind(mention),
            *self._prominence(pronoun, mention),
        ]

    def _agrees(self, pronoun: Pronoun, entity: Entity) -> bool:
        return not pronoun.gender or not entity.genders or pronoun.gender in entity.genders

    def _sentence(self, i: int) -> int:
        return self.tokens[i].sentence

    def _is_subject(self, mention: Mention) -> bool:
        return self.grammar.role(mention.head) in _SUBJECTS

    # --- where it stands ---

    def _place(self, p: Pronoun, m: Mention, rivals: list[Mention]) -> list[str]:
        sentences = self._sentence(p.i) - self._sentence(m.head)
        if m.first > p.i:
            between = len({r.entity for r in rivals if p.i < r.first < m.first})
            out = [f"after={min(-sentences, 2)}|{p.role}", f"after.between={min(between, 3)}"]
            return out if any(r.first < p.i for r in rivals) else [*out, "after.only"]
        between = len({r.entity for r in rivals if m.first < r.first < p.i} - {m.entity})
        out = [f"before={min(sentences, 4)}|{p.role}", f"between={min(between, 4)}"]
        if sentences == 0:
            out.append(f"gap={next((g for g in (2, 5, 10, 20) if p.i - m.last <= g), 'far')}")
        return out

    # --- what part it plays, and whether the pronoun plays the same ---

    def _roles(self, p: Pronoun, m: Mention) -> list[str]:
        grammar, head = self.grammar, self.tokens[m.head]
        role, where = grammar.role(m.head), self._where(p, m)
        out = [f"role={role}", f"pair={p.role}>{role}", f"pair={p.role}>{role}@{where}"]
        if head.dep in {"conj", "appos"}:
            out.append(f"{head.dep}|{where}")
        word = grammar.preposition(m.head)
        if word:
            out.append(f"prep={word if word in _PREPOSITIONS else 'other'}")
        if role in _SUBJECTS:
            clause = self.tokens[grammar.clause[m.head]].dep
            out.append("main" if clause == "ROOT" else f"clause={clause}")
            out.append(f"main={clause == 'ROOT'}@{where}|{p.role}")
        if any(self.tokens[c].dep == "conj" for c in head.children):
            out.append("has.conj")
        out.append(f"quote={grammar.quoted[p.i]:d}{grammar.quoted[m.head]:d}")
        if grammar.bracketed[m.head]:
            out.append("bracketed.both" if where == "same" and grammar.bracketed[p.i] else "bracketed")
        return out

    def _where(self, p: Pronoun, m: Mention) -> str:
        sentences = self._sentence(p.i) - self._sentence(m.head)
        if sentences == 0:
            return "same.after" if m.first > p.i else "same"
        return "prev" if sentences == 1 else "far" if sentences > 1 else "next"

    # --- what grammar allows ---

    def _binding(self, p: Pronoun, m: Mention) -> list[str]:
        if self._sentence(p.i) != self._sentence(m.head):
            return []
        grammar, tokens = self.grammar, self.tokens
        clause = grammar.clause[p.i]
        out = self._clauses(p, m)
        if p.role != "poss" and grammar.governor(p.i) == grammar.governor(m.head) >= 0:
            out.append("fellow.argument")  # principle B: "she called her" are two people
        subject = grammar.subject(clause)
        if subject == m.head or m.first <= subject < m.last:
            out.append(f"subject.of.clause|{p.role}")
        out += self._possession(p, m)
        if grammar.inside(p.i, m.head) and "owned" not in out:
            out.append(f"within|{p.role}|{tokens[clause].dep in {'relcl', 'acl'}:d}")
        return out

    def _clauses(self, p: Pronoun, m: Mention) -> list[str]:
        """Return how the clause of the pronoun lies to that of the candidate."""
        grammar = self.grammar
        mine, other = grammar.clause[p.i], grammar.clause[m.head]
        side = "after" if m.first > p.i else "before"
        if mine == other:
            return [f"clause.same|{p.role}>{grammar.role(m.head)}|{side}"]
        subject = self._is_subject(m)
        up = grammar.steps_up(mine, other)
        if up:
            via = self.tokens[mine].dep
            return [f"clause.up={min(up, 2)}|{p.role}|{subject:d}|{side}", f"clause.via={via}|{subject:d}|{side}"]
        below = mine in self.analysis.ancestors(other)
        return [f"clause.{'down' if below else 'aside'}|{p.role}|{side}"]

    def _possession(self, p: Pronoun, m: Mention) -> list[str]:
        if p.role != "poss":
            return []
        owned = self.tokens[self.tokens[p.i].head]
        if owned.i == m.head or self.grammar.inside(m.head, owned.i):
            return ["owned"]  # "her friend X" is not X's
        if owned.dep == "conj" and owned.head == m.head:
            return ["joined"]  # "X and her friend"
        if owned.dep == "appos" and owned.head == m.head:
            return ["apposed"]  # "X, her friend"
        if self.grammar.role(owned.i) in _SUBJECTS and self.tokens[m.head].head == owned.head:
            return ["owner.subject"]  # "her friend met X"
        return []

    def _elsewhere(self, p: Pronoun, m: Mention) -> list[str]:
        """Return what other mentions of the same entity in the sentence of the pronoun allow or forbid."""
        out: set[str] = set()
        for other in self.entities[m.entity].mentions:
            if other is not m and self._sentence(other.head) == self._sentence(p.i):
                out.update(f"e.{f}" for f in self._binding(p, other) if not f.startswith("clause.via"))
        return sorted(out)

    # --- what the sentences are about ---

    def _discourse(self, p: Pronoun, m: Mention) -> list[str]:
        here, entity = self._sentence(p.i), self.entities[m.entity]
        mentioned = {self._sentence(x.head) for x in entity.mentions}
        as_subject = {self._sentence(x.head) for x in entity.mentions if self._is_subject(x)}
        out = []
        if here - 1 in mentioned:
            out.append(f"prev.{'subject' if here - 1 in as_subject else 'other'}|{p.role}")
        if here in as_subject:
            out.append(f"here.subject|{p.role}")
        low, high = min(m.last, p.i), max(m.first, p.i)
        between = [q for q in self.pronouns if q.gender == p.gender and low <= q.i < high]
        out.append(f"pronouns.between={min(len(between), 3)}|{m.first > p.i:d}")
        local = [q for q in between if self._sentence(q.i) == here]
        if local:
            out.append(f"pronoun.local={local[-1].role}>{p.role}|{self._is_subject(m):d}")
        return out

    # --- who it is ---

    def _kind(self, m: Mention) -> list[str]:
        entity = self.entities[m.entity]
        knowledge = "known" if entity.gender else "mixed" if entity.genders else "open"
        out = [f"kind={m.kind}", f"gender={knowledge}|{m.kind}"]
        if m.kind == "noun":
            first = self.tokens[m.first].lower
            article = "the" if first in {"the", "this", "that"} else "a" if first in {"a", "an"} else "bare"
            return [*out, f"noun.{'own' if first in PRONOUNS else article}"]
        type_ = entity.type if entity.type in _TYPES else "other" if entity.type else "none"
        out += [f"type={type_}|{bool(entity.gender):d}", f"person={entity.person:d}", f"words={min(len(m.words), 3)}"]
        return [*out, "titled"] if any(w in load_lexicon().titles for w in m.words) else out

    def _prominence(self, p: Pronoun, m: Mention) -> list[str]:
        mentions = self.entities[m.entity].mentions
        before = [x.first for x in mentions if x.first < p.i]
        subjects = sum(map(self._is_subject, mentions))
        out = [f"count={min(len(before), 4)}", f"total={min(len(mentions), 4)}", f"subjects={min(subjects, 3)}"]
        if self.people[0].entity == m.entity:
            out.append(f"first|{p.role}")
        if before and m.first == before[-1]:
            out.append("nearest.of.entity")
        return out
