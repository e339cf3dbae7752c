"""Reads files of a folder that others wrote: regular files alone, at most so much of each, and none that lies outside. A link
that leads out is not followed; pipes and devices are never opened for reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from errno import EFBIG, EINVAL
from pathlib import Path

MAX_FILE_BYTES = 20_000_000  # bytes of a file that is read as a whole
TOO_LARGE = "file too large"
_CHUNK = 1 << 20
OUTSIDE = "link out of the folder"
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class TooLarge(OSError):
    """A file holds more than may be read."""


def read_file(path: str | Path, limit: int = MAX_FILE_BYTES, *, follow: bool = False) -> bytes:
    """Return the content of a regular file, of one behind a link only where links are to be followed. Raises TooLarge beyond
    `limit` bytes, OSError for what is no regular file."""
    data = read_start(path, limit + 1, follow=follow)
    if len(data) > limit:
        raise TooLarge(EFBIG, TOO_LARGE, str(path))
    return data


def read_start(path: str | Path, most: int, *, follow: bool = False) -> bytes:
    """Return at most the first `most` bytes of a regular file. Raises OSError for anything else."""
    with os.fdopen(_opened(path, follow), "rb") as file:
        data = file.read(min(os.fstat(file.fileno()).st_size + 1, most))  # room for all that may come is taken at once
        while len(data) < most and (more := file.read(min(most - len(data), _CHUNK))):
            data += more  # it grew, or does not say how large it is
    return data


def _opened(path: str | Path, follow: bool) -> int:
    """Return a descriptor of a regular file. A device may do something when it is opened, and a pipe waits: neither
    is."""
    if not stat.S_ISREG(os.stat(path, follow_symlinks=follow).st_mode):  # noqa: PTH116
        raise OSError(EINVAL, "not a regular file", str(path))
    descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(EINVAL, "not a regular file", str(path))
    return descriptor


def is_inside(root: str, path: str) -> bool:
    """Return whether a path, its links followed, lies in the folder `root`, which is given as it really is."""
    real = os.path.realpath(path)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def walk_folders(root: str, entered: Callable[[str], bool]) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder below `root` that may be `entered`, itself first, with the names of what in it is no folder. Links are
    not followed; a folder that cannot be listed, or lies too deep for a path, is left out. (`os.walk` recurses.)"""
    waiting = [root]
    while waiting:
        folder, names, files = waiting.pop(), list[str](), list[str]()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (names if is_folder else files).append(entry.name)
        except OSError:
            continue
        yield folder, sorted(files)
        below = sorted(filter(entered, names), reverse=True)
        waiting += [os.path.join(folder, name) for name in below]  # noqa: PTH118


def walk_files(
    target: Path,
    *,
    wanted: Callable[[str], bool],
    entered: Callable[[str], bool] = lambda name: True,
    skip: Callable[[str], object] = lambda reason: None,
) -> Iterator[Path]:
    """Yield the regular files below a folder whose names are `wanted`, in the folders that may be `entered`, sorted within
    each folder. A link to a file is taken in the place of its target where that is not met anyway; `skip` is told of those
    that lead out."""
    root = os.path.realpath(target)
    links, met = list[Path](), set[str]()
    for folder, files in walk_folders(root, entered):
        here = Path(target, os.path.relpath(folder, root))
        for name in filter(wanted, files):
            full = os.path.join(folder, name)  # noqa: PTH118 - this runs for every file of the tree
            try:
                mode = os.lstat(full).st_mode
            except OSError:
                continue
            if stat.S_ISLNK(mode):
                links.append(here / name)
            elif stat.S_ISREG(mode):
                met.add(full)
                yield here / name
    for link in links:
        real = os.path.realpath(link)
        if not is_inside(root, real):
            skip(OUTSIDE)
        elif real not in met and Path(real).is_file():
            met.add(real)
            yield link
