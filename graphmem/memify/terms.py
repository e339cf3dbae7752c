"""Distinguishing terms of groups of texts: words and word pairs by class-based TF-IDF (BERTopic, Grootendorst 2022), in
English and Korean. Names categories."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from graphmem.patterns import compile_later
from graphmem.text.words import stopwords

_WORD = compile_later(r"[a-z][a-z0-9_+#.-]*[a-z0-9+#]|[가-힣]{2,}", re.IGNORECASE)
# Endings of Korean nouns; at least two letters must remain.
_ENDING = compile_later(
    r"(?<=[가-힣]{2})(?:에서는|에서|으로|에게|까지|부터|이다|입니다|한다|합니다|했다|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)
_NO_PROSE = compile_later(
    r"```.*?(?:```|\Z)|https?://\S+|<[^<>\s][^<>\n]{0,200}>|(?:[\w.~-]*/)+[\w.-]*|\b[\w-]+(?:\.[\w-]+)*\(\)", re.S
)
_IDENTIFIER = compile_later(r"[a-z.]\d|\d[a-z]|^\w{1,3}-\w+$|_\w*_")
_MIN_TEXTS = 3  # minimum texts of a group that contain a term: the term of a single text never names a group
_MAX_CHARS = 2_000  # maximum characters read of a text
_DULL = frozenset(
    "add added adds fix fixed fixes remove removed update updated change changed bump bumped move moved not now https http www com"
    " github.com def import use used using also one two new like first get set make made see way will would could should may"
    " must let need needs look looking good done want all any file files line lines code run running ran check checked read"
    " reading create created implement implemented start end ready work works working show shows shown based current existing"
    " correct actually already proceed next step summary user users issue issues task tasks everything something thing things"
    " yes okay great sure right clean clear ones many much just still also first second"
    # the course of any work
    " commit commits committed push pushed pushes close closed closes closing open opened pass passes passed passing fail fails"
    " failed failing failure failures verify verified verifies understand understood pattern patterns please before after"
    " missing wait waiting replace replaced since both nothing else full called calls calling such detail details error errors"
    " warning warnings remaining proper properly handle handles handled support supports edit edits edited test tests tested"
    " testing compile compiles compiled compiling build builds expected pre-existing related unrelated feat chore refactor"
    " changes instead correctly multiple request requests interrupted write writes writing out research plan plans comment"
    " comments always find found other others own".split()
)  # fmt: skip


def term_words(text: str) -> list[str]:
    """Return the words of a text in lower case without stop words and endings of Korean nouns."""
    plain = _NO_PROSE.sub(" ", text[:_MAX_CHARS])
    found = (_ENDING.sub("", word.lower()) for word in _WORD.findall(plain))
    return [word for word in found if len(word) > 2 - (word > "가") and word not in stopwords() and word not in _DULL
            and not _IDENTIFIER.search(word)]  # fmt: skip


def distinguishing_terms(groups: Sequence[Iterable[str]], count: int = 8) -> list[list[str]]:
    """Return for each group of texts the terms that are frequent in it and rare in the others, best first."""
    frequent: list[Counter[str]] = []
    spread: list[Counter[str]] = []
    for group in groups:
        uses: Counter[str] = Counter()
        texts: Counter[str] = Counter()
        for text in group:
            said = term_words(text)
            terms = [*said, *(f"{a} {b}" for a, b in pairwise(said) if a != b)]
            uses.update(terms)
            texts.update(set(terms))
        frequent.append(uses)
        spread.append(texts)
    total: Counter[str] = Counter()
    for uses in frequent:
        total.update(uses)
    mean = sum(total.values()) / max(1, len(groups))
    return [_best(uses, texts, total, mean, count) for uses, texts in zip(frequent, spread, strict=True)]


def _best(uses: Counter[str], texts: Counter[str], total: Counter[str], mean: float, count: int) -> list[str]:
    length = max(1, sum(uses.values()))
    scored = {
        term: number / length * math.log(1 + mean / total[term]) * (1.2 if " " in term else 1.0)
        for term, number in uses.items()
        if texts[term] >= _MIN_TEXTS
    }
    chosen: list[str] = []
    for term in sorted(scored, key=lambda term: (-scored[term], term)):
        if not any(_stems(term) & _stems(other) for other in chosen):
            chosen.append(term)
        if len(chosen) == count:
            break
    return chosen


def _stems(term: str) -> set[str]:
    """Return the words without plural endings."""
    return {word.removesuffix("s") if len(word) > 4 else word for word in term.split()}
