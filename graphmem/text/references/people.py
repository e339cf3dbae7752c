"""Lexical knowledge about persons: gender of given names, titles and nouns. The word lists are in `people.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

Gender = Literal["f", "m"]


class Lexicon(NamedTuple):
    """Lower-case words with the gender they tell; `person_nouns` tell only
    that a person is meant, `also_things` among them not even that."""

    names: dict[str, Gender]
    titles: dict[str, Gender | None]
    nouns: dict[str, Gender]
    person_nouns: frozenset[str]
    also_things: frozenset[str]

    def gender_of_name(self, words: list[str]) -> Gender | None:
        """Return the gender of a name: by its title, else by the first word that is a given name."""
        for word in words:
            title = self.titles.get(word)
            if title:
                return title
        given = next((w for w in words if w not in self.titles), "")
        return self.names.get(given)


@cache
def load_lexicon() -> Lexicon:
    """Return the lists, read once."""
    table = tomllib.loads(files(__package__).joinpath("people.toml").read_text("utf-8"))

    def gendered(section: str) -> dict[str, Gender]:
        female: dict[str, Gender] = dict.fromkeys(table[section]["female"].split(), "f")
        male: dict[str, Gender] = dict.fromkeys(table[section]["male"].split(), "m")
        return {w: g for w, g in (female | male).items() if not (w in female and w in male)}

    nouns = gendered("nouns")
    titles: dict[str, Gender | None] = {**dict.fromkeys(table["titles"]["neutral"].split()), **gendered("titles")}
    return Lexicon(
        gendered("names"),
        titles,
        nouns,
        frozenset(nouns) | frozenset(table["nouns"]["neutral"].split()),
        frozenset(table["nouns"]["also_things"].split()),
    )
