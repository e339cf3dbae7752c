"""Locates the compiled version of a package, which `hatch_build.py` creates on installation. It is used only if the
sources are byte for byte those it was compiled from, so an edited source is never shadowed. Otherwise, or with
`GRAPHMEM_COMPILED=0` in the environment, the modules are interpreted."""

from __future__ import annotations

import hashlib
import json
import os
import sysconfig
from pathlib import Path

_ROOT = Path(__file__).parents[2]  # of the paths of sources
_FOLDER = "compiled"
_SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX") or ""


def search_path(package: str) -> list[str]:
    """Return the `__path__` of the package in this folder."""
    compiled = Path(package) / _FOLDER
    return [str(compiled), package] if _is_current(compiled) else [package]


def _is_current(compiled: Path) -> bool:
    if os.environ.get("GRAPHMEM_COMPILED") == "0":
        return False
    try:
        made = json.loads((compiled / "sources.json").read_bytes())
        return (
            f"native__mypyc{_SUFFIX}" in made["sizes"]
            and all((compiled / name).stat().st_size == size for name, size in made["sizes"].items())
            and all(_digest(_ROOT / path) == digest for path, digest in made["sources"].items())
        )
    except (OSError, ValueError, KeyError):
        return False


def _digest(source: Path) -> str:
    return hashlib.sha256(source.read_bytes()).hexdigest()
