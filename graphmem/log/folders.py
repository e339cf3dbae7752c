"""The stores of folders outside of repositories. Each folder has its own, so that nothing said in one is shown in another.
Hooks import this module, so its own imports are minimal."""

from __future__ import annotations

import os

SHARED = "global"  # the store of programs that are started anywhere: in the home folder or at the root


def store_of_folder(folder: str, home: str) -> tuple[str, str] | None:
    """Return the store and the project of a folder outside of repositories: those of the nearest folder around it that has a
    store, otherwise its own, which may not exist yet. The home folder and the root are no projects: they have the shared
    store. `home` is the folder of all stores. None if the folder does not exist."""
    folder = os.path.realpath(folder)
    if not os.path.isdir(folder):  # noqa: PTH112
        return None
    if _is_home_or_root(folder):
        return os.path.join(home, SHARED), SHARED  # noqa: PTH118
    around = folder
    while not (_is_home_or_root(around) or _is_home_or_root(os.path.dirname(around))):  # noqa: PTH120
        store = store_directory(around, home)
        if os.path.isdir(store):  # noqa: PTH112
            return store, os.path.basename(around)  # noqa: PTH119
        around = os.path.dirname(around)  # noqa: PTH120
    return store_directory(folder, home), os.path.basename(folder)  # noqa: PTH119


def _is_home_or_root(folder: str) -> bool:
    return folder in (os.path.dirname(folder), os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111, PTH120


def store_directory(identity: str, home: str) -> str:
    """Return the directory of the store with an identity: the shared git directory of a repository, or a folder."""
    import hashlib

    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return os.path.join(home, "projects", digest)  # noqa: PTH118
