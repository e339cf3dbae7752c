"""Sizes of an installation, of a store and of processes, for the benchmark `weight`."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path

import graphmem

_REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_PARTS = {"log.db": "log", "index.db": "text", "vectors-": "vectors", "graph": "graph", "copy-": "copy of the graph",
          "code.db": "code", "buffer.db": "backlog"}  # start of a file's name -> part of the store  # fmt: skip
_BLOCK = 512  # bytes, the unit of `st_blocks`


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of an owner process in bytes: its share of all pages, the pages that it alone uses, and the share of its
    helper processes."""

    pss: int
    uss: int
    helpers: int


def installed_sizes(name: str = "graphmem") -> dict[str, int]:
    """Return the bytes on disk of a package and of everything that it requires, with the extras that are requested; by
    package, largest first. Packages that are not installed here are left out."""
    sizes: dict[str, int] = {}
    wanted, seen = [(name, frozenset[str]())], set[tuple[str, frozenset[str]]]()
    while wanted:
        if (each := wanted.pop()) in seen:
            continue
        seen.add(each)
        try:
            found = distribution(each[0])
        except PackageNotFoundError:
            continue  # for another system or version of Python
        sizes[_normalised(each[0])] = _size_of(found)
        wanted += _requirements(found, each[1])
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _requirements(found: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Return the packages that a package requires with these extras."""
    needed = []
    for line in found.requires or ():
        required, _, marker = line.partition(";")
        extra, named = _EXTRA.search(marker), _REQUIREMENT.match(required)
        if named and (extra is None or extra[1] in extras):
            chosen = (one.strip() for one in (named[2] or "").split(","))
            needed.append((_normalised(named[1]), frozenset(filter(None, chosen))))
    return needed


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _size_of(found: Distribution) -> int:
    files = [Path(str(found.locate_file(file))) for file in found.files or ()]
    size = sum(map(disk_bytes, files))
    if _normalised(found.name) != "graphmem":
        return size
    package = Path(graphmem.__file__).parent  # an editable installation lists none of its files
    return max(size, sum(disk_bytes(file) for file in package.rglob("*") if "__pycache__" not in file.parts))


def store_sizes(store: Path) -> dict[str, int]:
    """Return the bytes on disk of a store's files, by part. The write-ahead log of a database belongs to its part."""
    sizes: dict[str, int] = {}
    for file in store.rglob("*"):
        part = next((part for start, part in _PARTS.items() if file.name.startswith(start)), "other")
        sizes[part] = sizes.get(part, 0) + disk_bytes(file)
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def disk_bytes(file: Path) -> int:
    """Return the bytes that a file takes on disk: holes take none. 0 for a folder, and for a file that was deleted."""
    with contextlib.suppress(OSError):
        found = file.stat()
        if file.is_file():
            return found.st_blocks * _BLOCK if hasattr(found, "st_blocks") else found.st_size
    return 0


def process_memory(pid: int) -> Memory:
    """Return the memory of a process and of its children. Without /proc, the resident set stands for both figures, and
    children are not counted."""
    told = _rollup(pid)
    if not told:
        listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
        resident = int(listed.stdout.strip() or 0) << 10
        return Memory(resident, resident, 0)
    unique = sum(told.get(f"Private_{kind}", 0) for kind in ("Clean", "Dirty", "Hugetlb"))
    return Memory(told["Pss"], unique, sum(_rollup(child).get("Pss", 0) for child in _children(pid)))


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process, its children and its ended children; 0 without /proc."""
    return sum(_processor_ticks(each) for each in (pid, *_children(pid))) / _ticks()


def _rollup(pid: int) -> dict[str, int]:
    """Return the sums over all mappings of a process in bytes, or nothing."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except OSError:
        return {}
    return {name: int(size) << 10 for name, size in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.M)}


def _children(pid: int) -> list[int]:
    """Return the processes that a process started and their children."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # a thread or a child ended meanwhile
        lists = (file.read_text("ascii").split() for file in Path(f"/proc/{pid}/task").glob("*/children"))
        for child in map(int, chain.from_iterable(lists)):
            found += [child, *_children(child)]
    return found


def _processor_ticks(pid: int) -> int:
    """Return the time of a process and of its ended children; fields 14 to 17 of `proc_pid_stat(5)`."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


@cache
def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
