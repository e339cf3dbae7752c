"""Synonyms of names: "golang" is Go, `import yaml` means PyYAML, "k8s" is Kubernetes. Used to expand queries and to unite
mentions; the tables are this project's own and those of Pygments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from graphmem.text.entities.wordlists import read

LISTS = ("languages", "libraries", "applications", "operating_systems", "websites", "imports", "other_names")
NOT_SAME = re.compile(r"[^\w+#.*가-힣]+|[_.]+")  # what may differ between two spellings of a name
MAX_ALIASES = 24  # other names that are returned at most, so that no query grows without bound


def canonical_name(alias: str) -> str | None:
    """Return the usual name for `alias`, or None if unknown. Case, spaces, hyphens, underscores and dots are ignored. Of
    several meanings, the first table wins: languages before libraries before programs."""
    names = canonical_names(alias)
    return names[0] if names else None


def canonical_names(alias: str) -> tuple[str, ...]:
    """Return everything that `alias` can name, by usual name."""
    return _tables()[0].get(fold_name(alias), ())


def aliases(name: str) -> tuple[str, ...]:
    """Return the other names of `name`, without itself; () if unknown."""
    _, others = _tables()
    own = name.casefold()
    found = dict.fromkeys(form for main in canonical_names(name) for form in (main, *others[main]))
    return tuple(form for form in found if form.casefold() != own)[:MAX_ALIASES]


def name_variants(name: str) -> tuple[str, ...]:
    """Return likely spellings of packages with this name: `date_util` -> date-util, python-date-util, pydate-util. These
    are guesses: rank what they find lower."""
    base = re.sub(r"[\s_.-]+", "-", name.strip().casefold()).strip("-")
    if not re.fullmatch(r"[\w-]{2,60}", base):
        return ()
    bare = re.sub(r"^(?:python-|py-?)|-?(?:python|py)$", "", base) or base
    forms = (
        base,
        base.replace("-", "_"),
        base.replace("-", ""),
        bare,
        f"python-{bare}",
        f"py{bare}",
        f"{bare}-python",
        f"{bare}-py",
    )
    return tuple(form for form in dict.fromkeys(forms) if form != name)


def fold_name(name: str) -> str:
    """Return the key that unites spellings of a name: "Node.js", "node js" and "NodeJS" are one."""
    return NOT_SAME.sub("", name.casefold())


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return (folded name -> usual names, usual name -> its other names)."""
    mains: dict[str, dict[str, None]] = {}
    others: dict[str, dict[str, None]] = {}
    for main, names in _families():
        main = _same_family(main, mains)
        others.setdefault(main, {}).update(dict.fromkeys(n for n in names if n != main))
        for form in (main, *names):
            if fold_name(form):
                mains.setdefault(fold_name(form), {}).setdefault(main)
    return {k: _own_first(k, v) for k, v in mains.items()}, {k: tuple(v) for k, v in others.items()}


def _same_family(main: str, mains: dict[str, dict[str, None]]) -> str:
    """Return the name under which an earlier table has this thing, if any."""
    return next((known for known in mains.get(fold_name(main), ()) if fold_name(known) == fold_name(main)), main)


def _own_first(key: str, mains: dict[str, None]) -> tuple[str, ...]:
    return tuple(sorted(mains, key=lambda main: fold_name(main) != key))


def _families() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in LISTS:
        for listed in read(name):
            if listed.aliases:
                yield listed.name, listed.aliases
    yield from _pygments()


def _pygments() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Languages and their aliases as Pygments has them; its table is a plain module that imports no lexer."""
    lexers = import_module("pygments.lexers._mapping").LEXERS
    for _module, name, names, _files, _types in lexers.values():
        if " " not in name or len(names) > 1:
            yield name, tuple(n for n in names if "+" not in n[1:])
