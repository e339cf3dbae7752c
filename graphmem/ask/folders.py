"""The package or folder that a question narrows to ("which variables does the worker package read?")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from graphmem.ask.types import Question

_KIND = r"(?:package|module|folder|directory|crate|workspace|library|app|service|component)"
_NAME = r"[\"'`]?(@?[A-Za-z_][\w./@-]*[\w/])[\"'`]?"
_NAMED = (  # the first are certain: the word before or behind says what it is
    re.compile(rf"{_NAME}(?:'s)? {_KIND}\b", re.I),
    re.compile(
        rf"\b{_KIND} (?:called |named )?(?!(?:reads?|uses?|needs?|is|are|and|or|that|which|in|of)\b){_NAME}", re.I
    ),
    re.compile(rf"\b(?:do|does|in|inside|within|of|by|under|from|for) (?:the |our )?{_NAME}", re.I),
    re.compile(r"([A-Za-z_][\w./@-]*) ?(?:패키지|모듈|폴더|디렉터리|서비스)"),
)
_SURE = (_NAMED[0], _NAMED[1], _NAMED[3])
_NO_NAMES = frozenset(
    "the a an this that these our my your it we i you they code program project repository repo environment".split()
)


class Folders(NamedTuple):
    """A name of a question and the folders (or, without their endings, files) that it means. `is_sure`: the question says that it
    is one."""

    name: str
    paths: tuple[str, ...]
    is_sure: bool

    def contains(self, path: str) -> bool:
        """Return whether a file is one of them or lies below one."""
        return any(path == each or path.startswith((f"{each}/", f"{each}.")) for each in self.paths)

    @property
    def described(self) -> str:
        """Return the paths as a phrase."""
        return " and ".join(self.paths)


def find_folders(question: Question, files: Iterable[str]) -> Folders | None:
    """Return what a question narrows to: the outermost folders with that name; of a name with several parts (`@shop/core`,
    `shop.core`) those with all parts, else with the last one. None if it names none; if the question says that it is one
    and there is none, `paths` is empty.

    >>> from graphmem.ask.types import parse_question
    >>> files = ["apps/worker/main.py", "apps/worker/worker/x.py", "lib/worker-pool/y.py", "shop/core.py"]
    >>> find = lambda name: find_folders(parse_question(f"which variables does {name} read?"), files)
    >>> find("the worker").paths, find("shop.core").paths, find("the ferry package").paths, find("me")
    (('apps/worker',), ('shop/core',), (), None)
    """
    paths = list(files)
    missing = None
    for pattern in _NAMED:
        for name in pattern.findall(question.text):
            if name.lower() in _NO_NAMES or name.isupper():
                continue
            is_sure = pattern in _SURE or name.strip("/") in {each.strip("/") for each in question.exact}
            if found := _matching(name, paths):
                return Folders(name.strip("/"), found, is_sure)
            missing = missing or (Folders(name, (), is_sure) if is_sure else None)
    return missing


def _matching(name: str, files: list[str]) -> tuple[str, ...]:
    wanted = re.split(r"[/.]", _normal(name.strip("/@.")))
    for parts in (wanted, wanted[-1:]):
        folders, modules = set[str](), set[str]()
        for file in files:
            steps = file.split("/")
            normal = _normal(file).split("/")
            for end in range(len(parts), len(steps)):
                if normal[end - len(parts) : end] == parts:
                    folders.add("/".join(steps[:end]))
            if [*normal[:-1], normal[-1].partition(".")[0]][-len(parts) :] == parts:
                modules.add("/".join([*steps[:-1], steps[-1].partition(".")[0]]))
        if found := folders or modules:
            outermost = min(each.count("/") for each in found)
            return tuple(sorted(each for each in found if each.count("/") == outermost))
    return ()


def _normal(name: str) -> str:
    return name.lower().replace("-", "_")
