"""Grammatical relations that constrain pronouns: the role of a word, its clause, nesting. Works on `Analysis` only."""

from __future__ import annotations

from functools import cached_property

from graphmem.text.entities.wordlists import word_set
from graphmem.text.references.analysis import Analysis, Token

_ROLES = {
    "nsubj": "subj", "nsubjpass": "pass", "csubj": "subj", "expl": "subj", "agent": "by",
    "dobj": "obj", "dative": "dat", "obj": "obj", "oprd": "obj", "attr": "attr", "acomp": "attr",
    "poss": "poss", "pobj": "pobj", "compound": "mod", "nmod": "mod", "amod": "mod", "npadvmod": "mod",
    "nsubj:pass": "pass",
}  # fmt: skip
_CLAUSES = word_set("ROOT relcl advcl ccomp xcomp acl conj parataxis pcomp csubj csubjpass dep")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class Grammar:
    """One analysed text."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.tokens = analysis.tokens

    def role(self, i: int) -> str:
        """Return subj, pass, obj, dat, pobj, by, poss, mod, attr or other; a conjunct or apposition plays its head's role."""
        token = self.tokens[i]
        for _ in range(20):
            if token.dep not in {"conj", "appos"} or token.head == token.i:
                break
            token = self.tokens[token.head]
        if token.dep == "pobj" and self.tokens[token.head].dep == "agent":
            return "by"
        return _ROLES.get(token.dep, "other")

    def preposition(self, i: int) -> str:
        """Return the preposition that governs a noun, or ""."""
        token = self.tokens[i]
        return self.tokens[token.head].lower if token.dep == "pobj" else ""

    @cached_property
    def clause(self) -> list[int]:
        """For each token the verb (or other head) of the smallest clause around it; a verb belongs to its own."""
        found = [-1] * len(self.tokens)

        def of(i: int) -> int:
            path = []
            while found[i] < 0:
                path.append(i)
                token = self.tokens[i]
                if token.head == i or _heads_clause(token) or len(path) > 300:
                    found[i] = i
                    break
                i = token.head
            for j in path:
                found[j] = found[i]
            return found[i]

        return [of(i) for i in range(len(self.tokens))]

    def governor(self, i: int) -> int:
        """Return the verb of which `i` is an argument, also through a preposition; -1 for anything else."""
        token = self.tokens[i]
        for _ in range(20):
            if token.dep not in {"conj", "appos"} or token.head == token.i:
                break
            token = self.tokens[token.head]
        if token.dep == "pobj":
            token = self.tokens[token.head]
            if token.dep not in {"prep", "agent", "dative"}:
                return -1
        elif token.dep not in {"nsubj", "nsubjpass", "dobj", "dative", "obj"}:
            return -1
        return token.head

    def outer_clause(self, verb: int) -> int:
        """Return the clause around a clause; itself for the main one."""
        head = self.tokens[verb].head
        return verb if head == verb else self.clause[head]

    def steps_up(self, clause: int, target: int) -> int:
        """Return how many clauses out of `clause` one must go to reach `target`; 0 if it does not lie around it."""
        for steps in range(1, 7):
            outer = self.outer_clause(clause)
            if outer == clause:
                break
            clause = outer
            if clause == target:
                return steps
        return 0

    def subject(self, verb: int) -> int:
        """Return the subject of a clause, shared by coordinated verbs ("he came and went"); -1 if there is none."""
        for _ in range(5):
            for child in self.tokens[verb].children:
                if self.tokens[child].dep in {"nsubj", "nsubjpass"}:
                    return child
            token = self.tokens[verb]
            if token.dep not in {"conj", "xcomp", "advcl", "acl"} or token.head == verb:
                return -1
            verb = self.clause[token.head]
        return -1

    def inside(self, i: int, ancestor: int) -> bool:
        """Return whether `i` lies in the phrase that `ancestor` heads."""
        return i == ancestor or ancestor in self.analysis.ancestors(i)

    @cached_property
    def quoted(self) -> list[bool]:
        """Return, for each token, whether it is inside quotation marks."""
        state, out = False, []
        for token in self.tokens:
            if token.text in {"``", "“", "‘‘"}:
                state = True
            elif token.text in {"''", "”"}:
                state = False
            elif token.text == '"':
                state = not state
            out.append(state)
        return out

    @cached_property
    def bracketed(self) -> list[bool]:
        """For each token whether a bracket is open in its sentence."""
        depth, sentence, out = 0, -1, []
        for token in self.tokens:
            if token.sentence != sentence:
                depth, sentence = 0, token.sentence
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
            out.append(depth > 0)
        return out


def _heads_clause(token: Token) -> bool:
    return token.dep in _CLAUSES and (token.tag[:2] in {"VB", "MD"} or token.dep in {"ROOT", "relcl", "advcl", "ccomp"})
