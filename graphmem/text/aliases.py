"""Other names of the same thing: "golang" is Go, `import yaml` means PyYAML, "k8s" is Kubernetes. For the expansion of
queries and for joining mentions; the tables are this project's own and those of Pygments. No spaCy, no store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from graphmem.text.entities.wordlists import read

LISTS = ("languages", "libraries", "applications", "operating_systems", "websites", "imports", "other_names")
NOT_SAME = re.compile(r"[^\w+#.*가-힣]+|[_.]+")  # what may differ between two spellings of a name
MOST = 24  # other names that are returned at most, so that no query grows without bound


def canonical_name(alias: str) -> str | None:
    """The usual name of what `alias` names; None when the tables do not know it. Case, spaces, hyphens, underscores and
    dots do not matter. Of several meanings the one of the first table: languages before libraries before programs."""
    names = canonical_names(alias)
    return names[0] if names else None


def canonical_names(alias: str) -> tuple[str, ...]:
    """All things that `alias` can name, by their usual names."""
    return _tables()[0].get(fold_name(alias), ())


def aliases(name: str) -> tuple[str, ...]:
    """The other names of what `name` names, without `name` itself; () when the tables do not know it."""
    _, others = _tables()
    own = name.casefold()
    found = dict.fromkeys(form for main in canonical_names(name) for form in (main, *others[main]))
    return tuple(form for form in found if form.casefold() != own)[:MOST]


def name_variants(name: str) -> tuple[str, ...]:
    """Spellings that packages of this name are likely to have, known or not: `date_util` -> date-util,
    python-date-util, pydate-util. Guesses: rank what they find below what was asked for."""
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
    """The key under which spellings of one name meet: "Node.js", "node js" and "NodeJS" are one."""
    return NOT_SAME.sub("", name.casefold())


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """(folded name -> usual names, usual name -> its other names)."""
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
    """The name under which an earlier table has this thing, if any."""
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
