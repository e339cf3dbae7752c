"""Says what is connected, what is not, and what is paused. Only reads small files: it starts no process and opens no store,
so that it is answered at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.interfaces.hooks.place import find
from graphmem.interfaces.install import files
from graphmem.interfaces.install.installer import NAME, configuration_state
from graphmem.interfaces.install.targets import TARGETS, Machine
from graphmem.interfaces.owner_socket import OwnerUnavailable, connect
from graphmem.log import spool, stages
from graphmem.log.unanswered import recent_unanswered
from graphmem.model.storefiles import GRAPH_BESIDE, GRAPH_COPIED
from graphmem.plurals import counted
from graphmem.settings import load_settings, stores_home

_PLUGIN = f'"{NAME}@{NAME}"'
_OFF = "off"


@dataclass(frozen=True, slots=True)
class Health:
    """One line of `status`: its subject, whether it works, and the finding. `state` is "ok", "off" (nothing is wrong, but
    something is not in use) or "FAIL"."""

    what: str
    well: bool
    found: str
    state: str = "ok"


def connection_overview(machine: Machine, project: Path | None = None) -> list[Health]:
    """Return which programs are connected for the user and the current folder (or only for the project in this folder),
    and whether the store of the folder is in use."""
    folder = project or Path.cwd()
    return [*dict.fromkeys(_programs(machine, project)), *_store(str(folder))]


def show(lines: list[Health], *, as_json: bool) -> int:
    """Print the lines and return the exit status: 1 if something does not work."""
    if as_json:
        from graphmem.interfaces import envelope

        sys.stdout.write(envelope.success(lines, verb="status") + "\n")
    else:
        sys.stdout.writelines(f"{line.state:4} {line.what}: {line.found}\n" for line in lines)
    sys.stdout.flush()
    return 0 if all(line.well for line in lines) else 1


def report(*, as_json: bool) -> int:
    """Print the overview of this machine and the current folder; return the exit status. Loads no command line."""
    try:
        return show(connection_overview(Machine()), as_json=as_json)
    except BrokenPipeError:  # the reader closed the pipe, as in `graphmem status | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        sys.stderr.write(f"graphmem: {error.strerror or error}\n")
        return 1


def _programs(machine: Machine, project: Path | None) -> Iterator[Health]:
    left: list[str] = []
    for name, target in TARGETS.items():
        connected: list[str] = []
        missing: list[str] = []
        is_broken = False
        for folder in (project,) if project else (None, Path.cwd()):
            if folder is not None and target.project is None:
                continue
            try:
                found = configuration_state(name, machine, folder)
            except GraphmemError as error:
                yield _failed(target.title, error.message.removesuffix(": nothing was changed"))
                is_broken = True
                continue
            connected += [path for path, there in found.items() if there]
            if any(found.values()):
                missing += [path for path, there in found.items() if not there]
        if name == "claude-code" and target.hooks and _PLUGIN in (files.read(target.hooks(machine)) or ""):
            yield Health(f"{target.title} plugin", True, str(target.hooks(machine)))
        elif not connected and not is_broken:
            left.append(name)
        yield from (Health(target.title, True, path) for path in connected)
        for path in missing:
            yield Health(target.title, True, f"nothing in {path}: run `graphmem install --for {name}` again", _OFF)
    if left:
        yield Health("not connected", True, f"{', '.join(left)}; `graphmem install --for NAME` connects one", _OFF)


def _former(folder: str) -> str:
    """Return what to do about the store of the former folder of a repository that was moved; "" if there is none."""
    from graphmem.store import adoption, location

    home = stores_home()
    try:
        found = adoption.find_former(location.locate(None, home, folder), home)
    except GraphmemError:
        return ""
    return f"that of the former folder {found.folder} is still there: `graphmem adopt` takes it over" if found else ""


def _store(folder: str) -> Iterator[Health]:
    location = find(folder)
    if location.paused:
        yield Health("recording", True, "paused in this repository; `graphmem resume` resumes it", _OFF)
    else:
        yield Health("recording", True, "on")
    if not os.path.exists(os.path.join(location.store, "log.db")):  # noqa: PTH110, PTH118
        told = _former(folder) or "none yet for this folder; the first hook or `graphmem init` makes one"
        yield Health("store", True, told, _OFF)
        return
    yield Health("store", True, location.store)
    begun = stages.read_state(location.store)
    if begun is None and (told := _former(folder)):  # a hook made this store
        yield Health("store", True, told, _OFF)
    try:
        load_settings(Path(location.store))
    except GraphmemError as error:
        yield _failed("settings", error.message)
    try:
        connect(location.store)[0].close()
        is_open = True
        yield Health("owner", True, "runs")
    except OwnerUnavailable:
        is_open = False
        yield Health("owner", True, "not running; the next hook or command starts it", _OFF)
    if graph := _graph(Path(location.store), is_open=is_open):
        yield Health("graph", True, graph)
    if begun is not None:
        well, has_stopped = not begun.failure, begun.is_stalled or (begun.is_pending and not is_open)
        told = stages.describe(begun, has_owner=is_open)
        yield Health("init", well, told, "ok" if well and not has_stopped else _OFF if well else "FAIL")
    kept = spool.count_waiting(location.store)
    if kept.number:
        yield Health("hooks", True, f"{counted(kept.number, 'input waits', 'inputs wait')} to be recorded", _OFF)
    late = recent_unanswered(location.store)
    if late.number:
        yield Health("hooks", True, f"{late.number:,} got no memory in time within a day, the last a {late.last}", _OFF)
    if kept.lost:
        yield _failed("hooks", f"{counted(kept.lost, 'input')} cannot be recorded; `graphmem doctor` says why")


def _graph(store: Path, *, is_open: bool) -> str:
    """Return what is known of the copies of a store's graph, in words; "" if there was none. If it is not open, an unfinished one
    is of a killed process."""
    if is_open and next(store.glob(f"{GRAPH_BESIDE}graph-*"), None) is not None:
        return "is being written again, because changes have made it large; searches go on"
    try:
        file = next(store.glob(f"graph-*{GRAPH_COPIED}"))
        note, at = json.loads(file.read_text("utf-8")), datetime.fromtimestamp(file.stat().st_mtime, UTC).astimezone()
        return f"written again at {at:%Y-%m-%d %H:%M}: {note['before'] >> 20} MB became {note['after'] >> 20} MB"
    except (StopIteration, OSError, ValueError, KeyError, TypeError):
        return ""


def _failed(what: str, why: str) -> Health:
    return Health(what, False, why, "FAIL")
