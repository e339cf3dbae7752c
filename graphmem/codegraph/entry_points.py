"""Functions that project files declare as entry points: scripts and plug-ins in `pyproject.toml` and `setup.cfg`. They
are called by installers and other programs, not by the source."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from graphmem.codegraph.view import View
from graphmem.foreignfiles import read_file

_LARGEST = 1_000_000
_TARGET = re.compile(r"\s*([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)(?:\s*[(\[].*)?\s*", re.S)


def find_entry_points(view: View, root: str | Path) -> dict[str, str]:
    """Return symbol keys with the files below a folder that declare them as entry points, including files of the folder
    itself."""
    base, found = Path(root), {}
    for file in sorted(chain(base.glob("pyproject.toml"), base.glob("*/pyproject.toml"), base.glob("setup.cfg"))):
        for module, name in _targets(file):
            meant = [s for s in view.find(f"{module}.{name}") if not s.external]
            found.update({s.key: file.relative_to(base).as_posix() for s in meant})
    return found


def _targets(file: Path) -> Iterator[tuple[str, str]]:
    """Yield (module, function) of each entry point."""
    try:
        text = read_file(file, _LARGEST).decode("utf-8", "replace")
        values = _of_toml(text) if file.suffix == ".toml" else _of_cfg(text)
    except (OSError, ValueError, configparser.Error):
        return  # that it is broken is for others to say
    for value in values:
        if match := _TARGET.fullmatch(value):
            yield match[1], match[2]


def _of_toml(text: str) -> list[str]:
    """Return all strings: besides `project.scripts`, each task runner has a table of its own."""
    found, rest = list[str](), list[Any]([tomllib.loads(text)])
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            rest += value.values()
        elif isinstance(value, list):
            rest += value
    return found


def _of_cfg(text: str) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    if not parser.has_section("options.entry_points"):
        return []
    lines = "\n".join(parser["options.entry_points"].values()).splitlines()
    return [line.partition("=")[2].strip() for line in lines if "=" in line]
