"""Possible antecedents of pronouns: names, noun phrases and pronouns, with gender and number, grouped into entities by
name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from graphmem.text.entities.wordlists import word_set
from graphmem.text.references.analysis import Analysis, Token
from graphmem.text.references.people import Gender, load_lexicon

Kind = Literal["name", "noun", "pronoun"]

PRONOUNS: dict[str, tuple[str, Gender | None]] = {  # word -> class, gender
    "he": ("person", "m"), "him": ("person", "m"), "his": ("person", "m"), "himself": ("person", "m"),
    "she": ("person", "f"), "her": ("person", "f"), "hers": ("person", "f"), "herself": ("person", "f"),
    "it": ("thing", None), "its": ("thing", None), "itself": ("thing", None),
    "they": ("many", None), "them": ("many", None), "their": ("many", None), "theirs": ("many", None),
    "themselves": ("many", None),
}  # fmt: skip
REFLEXIVES = frozenset(w for w in PRONOUNS if w.endswith(("self", "selves")))

_INSIDE_NAMES = word_set("de la del der den van von da di du dos das le el al bin ibn y of the")
_NEVER_PERSONS = word_set("DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL LANGUAGE")
_MISTAKEN = frozenset({"NN", "JJ", "VB", "FW", "RB"})
_LEFT = word_set("det amod compound nummod poss nmod predet advmod case")
_CALENDAR = word_set(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday"""
)


@dataclass(slots=True)
class Mention:
    """Tokens `first:last` (half-open), headed by `head`; `number` counts mentions from the start of the text."""

    first: int
    last: int
    head: int
    kind: Kind
    start: int
    end: int
    words: tuple[str, ...]
    entity: int = -1
    number: int = -1
    plural: bool = False


@dataclass(slots=True)
class Entity:
    """All mentions of one thing under its name. `person`: something speaks for a person; `described`: not only the
    recogniser of entities, which takes many a program for one."""

    mentions: list[Mention] = field(default_factory=list)
    genders: set[Gender] = field(default_factory=set)
    type: str = ""
    person: bool = False
    described: bool = False

    @property
    def gender(self) -> Gender | None:
        """Return the gender, if all that is known agrees."""
        return next(iter(self.genders)) if len(self.genders) == 1 else None


def find_mentions(analysis: Analysis) -> tuple[list[Mention], list[Entity]]:
    """Return names and noun phrases in order, each with the number of its entity."""
    mentions = sorted([*_names(analysis), *_nouns(analysis)], key=lambda m: (m.first, -m.last))
    mentions = _without_inner(mentions)
    for number, mention in enumerate(mentions):
        mention.number = number
    entities = _entities(analysis, mentions)
    return mentions, entities


def _mention(analysis: Analysis, first: int, last: int, kind: Kind) -> Mention:
    tokens = analysis.tokens[first:last]
    inside = {t.i for t in tokens}
    heads = [t for t in tokens if t.head not in inside or t.head == t.i]
    head = heads[-1] if len(heads) > 1 and kind == "name" else (heads[0] if heads else tokens[-1])
    words = tuple(t.lower.rstrip(".") for t in tokens if t.text[0].isalnum() or len(t.text) > 1)
    return Mention(
        first, last, head.i, kind, tokens[0].start, tokens[-1].end, words, plural=head.tag in {"NNS", "NNPS"}
    )


# --- names ------------------------------------------------------------------------------------------------------------


def _names(analysis: Analysis) -> list[Mention]:
    tokens, found = analysis.tokens, []
    i = 0
    while i < len(tokens):
        if not _in_name(tokens[i]) or (_opens_sentence(tokens, i) and tokens[i].tag[:2] not in {"NN", "JJ", "FW"}):
            i += 1
            continue
        last = i + 1
        while last < len(tokens) and _continues(tokens, last):
            last += 1
        while last > i + 1 and not _in_name(tokens[last - 1]):
            last -= 1
        if tokens[i].lower not in _CALENDAR:
            found.append(_mention(analysis, i, last, "name"))
        i = last
    return found


def _in_name(token: Token) -> bool:
    if not token.text[0].isupper() or token.entity in _NEVER_PERSONS:
        return False
    if token.tag in {"NNP", "NNPS"}:
        return True
    # The tagger takes rare names for nouns or adjectives; the recogniser of entities, or the lists, know better.
    return (token.entity == "PERSON" or token.lower in load_lexicon().names) and token.tag[:2] in _MISTAKEN


def _opens_sentence(tokens: list[Token], i: int) -> bool:
    return i == 0 or tokens[i - 1].sentence != tokens[i].sentence


def _continues(tokens: list[Token], i: int) -> bool:
    token, before = tokens[i], tokens[i - 1]
    if token.entity_start and before.entity and token.entity != before.entity and token.dep != "compound":
        return False
    if _in_name(token):
        return not (token.entity_start and before.entity == "PERSON" == token.entity)
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if following is None or not _in_name(following):
        return False
    inner = token.lower in _INSIDE_NAMES and (token.entity != "" or token.lower not in {"of", "the"})
    joint = token.text in {"-", "–", "."} and token.start == before.end and following.start == token.end
    initial = token.text == "." and len(before.text) == 1
    return inner or joint or initial


# --- noun phrases -----------------------------------------------------------------------------------------------------


def _nouns(analysis: Analysis) -> list[Mention]:
    found = []
    for token in analysis.tokens:
        if token.tag not in {"NN", "NNS"} or token.dep in {"compound", "amod", "nmod", "npadvmod"}:
            continue
        first = token.i
        while first > 0 and analysis.tokens[first - 1].head == token.i and analysis.tokens[first - 1].dep in _LEFT:
            first -= 1
        found.append(_mention(analysis, first, token.i + 1, "noun"))
    return found


def _without_inner(mentions: list[Mention]) -> list[Mention]:
    """Return a noun phrase that only wraps or repeats a name is that name."""
    names = [(m.first, m.last) for m in mentions if m.kind == "name"]
    heads = {i for first, last in names for i in range(first, last)}
    return [m for m in mentions if m.kind == "name" or m.head not in heads]


# --- entities ---------------------------------------------------------------------------------------------------------


def _entities(analysis: Analysis, mentions: list[Mention]) -> list[Entity]:
    entities: list[Entity] = []
    for mention in mentions:
        index = _known_as(mention, entities) if mention.kind == "name" else None
        if index is None:
            index = len(entities)
            entities.append(Entity())
        mention.entity = index
        entity = entities[index]
        entity.mentions.append(mention)
        _learn(analysis, mention, entity)
    return entities


def _known_as(mention: Mention, entities: list[Entity]) -> int | None:
    """Return the latest entity with a name that contains this one, or is contained in it."""
    name = _bare(mention)
    gender = load_lexicon().gender_of_name(list(mention.words))
    best, when = None, -1
    for index, entity in enumerate(entities):
        if entity.mentions[0].kind != "name" or (gender and entity.gender and gender != entity.gender):
            continue
        if any(_same_name(name, _bare(other)) for other in entity.mentions) and entity.mentions[-1].number > when:
            best, when = index, entity.mentions[-1].number
    return best


def _bare(mention: Mention) -> tuple[str, ...]:
    titles = load_lexicon().titles
    bare = tuple(w for w in mention.words if w not in titles)
    return bare or mention.words


def _same_name(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    short, long = sorted((a, b), key=len)
    if not short:
        return False
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def _learn(analysis: Analysis, mention: Mention, entity: Entity) -> None:
    """Add what one mention and its neighbours tell about the entity."""
    words, lists = mention.words, load_lexicon()
    head = analysis.tokens[mention.head]
    if mention.kind == "noun":
        if head.lower in lists.nouns:
            entity.genders.add(lists.nouns[head.lower])
        entity.person |= head.lower in lists.person_nouns
        entity.described = entity.person
        return
    types = [analysis.tokens[i].entity for i in range(mention.first, mention.last) if analysis.tokens[i].entity]
    entity.type = entity.type or (types[-1] if types else "")
    gender = lists.gender_of_name(list(words))
    if gender:
        entity.genders.add(gender)
    described = _description(analysis, mention)
    entity.genders |= {lists.nouns[w] for w in described if w in lists.nouns}
    entity.described |= bool(gender) or any(w in lists.person_nouns for w in described)
    entity.described |= any(w in lists.titles for w in words)
    entity.person |= entity.described or "PERSON" in types


def _description(analysis: Analysis, mention: Mention) -> list[str]:
    """Nouns that say what the named one is: "the actress X", "X, his wife", "X was a nun"."""
    tokens = analysis.tokens
    head = tokens[mention.head]
    nouns = [
        tokens[c].lower
        for c in head.children
        if tokens[c].dep in {"appos", "compound"} and c not in mention_range(mention)
    ]
    if head.dep == "appos":
        nouns.append(tokens[head.head].lower)
    if head.dep in {"nsubj"} and tokens[head.head].lower in {"is", "was", "be", "been", "'s", "became", "remained"}:
        nouns += [tokens[c].lower for c in tokens[head.head].children if tokens[c].dep == "attr"]
    return nouns


def mention_range(mention: Mention) -> range:
    """Return the token numbers of a mention."""
    return range(mention.first, mention.last)
