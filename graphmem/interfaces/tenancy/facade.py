"""The memory of a caller of a shared server: what `Memory` offers, on the caller's private store and the team's. Every method
passes the table of `policy`, which says what right it needs and which store it concerns."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from graphmem.errors import AccessDenied, GraphmemError, LimitReached, NotFound, UsageError
from graphmem.interfaces.http.lanes import Lane
from graphmem.interfaces.tenancy.merging import merge_answers, merge_results
from graphmem.interfaces.tenancy.policy import METHODS, SERVICES, Method, Where
from graphmem.interfaces.tenancy.rights import VISIBILITIES, Right, Visibility
from graphmem.interfaces.tenancy.tenant import Tenant
from graphmem.memory import Memory
from graphmem.model.results import Answer, Detail, SearchResult
from graphmem.model.sources import ForgetReport
from graphmem.ports.callers import for_account

_ID = re.compile(r"(?:\w+:)?[0-9a-f-]{7,64}")  # other ids contain words
_OF_HOST = ("url", "token", "key")  # in the name of a setting whose value may be an address with a password
_FREE = frozenset(
    {"forget", "archive", "restore", "allow", "deny", "approve", "reject", "memify", "rebuild"}
)  # possible with a quota used up


class TenantMemory:
    """A memory with the methods of `Memory` that `policy` lists; each other one is refused. `lane` is where calls run."""

    def __init__(self, tenant: Tenant, lane: Lane = "quick") -> None:
        self._tenant = tenant
        self._lane = lane
        self._written: list[Visibility] = []  # stores that were written to, in order
        self._found: dict[str, Visibility] = {}  # where items that were found are: their use is noted there

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            return partial(self._call, name, METHODS[name], lambda memory: getattr(memory, name))
        if name in SERVICES:
            return _Service(name, self._call)
        if name.startswith("__"):
            raise AttributeError(name)
        raise AccessDenied(f"`{name}` is not offered by a shared server", name=name)

    @property
    def project(self) -> str:
        """Return the project."""
        return self._tenant.project

    @property
    def location(self) -> Path:
        """Return the folder of the private store, where what a page keeps for its user is saved."""
        return self._tenant.path("private")

    @property
    def head(self) -> int:
        """Return the position of the log of the chosen store."""
        with self._borrow(self._chosen(Where.TEAM)) as memory:
            return memory.head

    @property
    def allowed(self) -> frozenset[str]:
        """Return what persons allowed agents to see, in each store."""
        found: frozenset[str] = frozenset()
        for store in self._readable():
            with self._borrow(store) as memory:
                found |= memory.allowed
        return found

    def meant(self, name: str) -> str:
        """Return the id of an item in the store that has it, as `Memory.meant`."""
        for store in self._readable():
            with self._borrow(store) as memory:
                if (found := memory.meant(name)) != name:
                    return found
        return name

    def used(self, **named: Any) -> None:
        """Note the use of items where they were found."""
        for store in dict.fromkeys(self._found.values()):
            chosen = {
                key: [id for id in value if self._found.get(id) == store]
                for key, value in named.items()
                if not isinstance(value, str)
            }
            with self._borrow(store) as memory:
                memory.used(**chosen, session=named.get("session", ""))

    # -- which store, and whether

    def _readable(self) -> list[Visibility]:
        """Return the stores to look into: the chosen one, or both, the private one first if there is one."""
        tenant = self._tenant
        if tenant.visibility is not None:
            return [tenant.visibility]
        return [store for store in VISIBILITIES if store == "team" or tenant.has(store)]

    def _chosen(self, where: Where) -> Visibility:
        if self._tenant.visibility is not None:
            return self._tenant.visibility
        if where is Where.LAST:
            return self._written[-1] if self._written else "team"
        if where is Where.DEFAULT:
            return "team" if self._tenant.host.settings.visibility == "team" else "private"
        return "private" if where is Where.PRIVATE else "team"

    def _require(self, name: str, method: Method, store: Visibility) -> None:
        """Raise AccessDenied without the right that a method needs on a store."""
        right = method.right if store == "team" else min(method.right, Right.WRITE)
        self._tenant.require(right, name, store)

    @contextmanager
    def _borrow(self, store: Visibility) -> Iterator[Memory]:
        with (
            self._tenant.lease(store) as executor,
            executor.borrow(self._lane) as memory,
            for_account(self._tenant.caller.account),
        ):
            yield memory

    # -- calls

    def _call(self, name: str, method: Method, find: Callable[[Memory], Any], *given: Any, **named: Any) -> Any:
        where = method.where
        if name in ("search", "ask"):
            return self._both(name, method, *given, **named)
        if where is Where.ITEMS:
            return self._items(name, method, *given, **named)
        if name == "forget":
            return self._forget(method, **_by_name(Memory.forget, given, named))
        if name == "config":
            return [
                entry
                for entry in self._run(name, method, self._chosen(where), find, given, named)
                if not _is_of_host(entry)
            ]
        if where is not Where.FIRST:
            return self._run(name, method, self._chosen(where), find, given, named)
        return self._first(name, method, find, given, named)

    def _run(
        self, name: str, method: Method, store: Visibility, find: Callable[[Memory], Any], given: Any, named: Any
    ) -> Any:
        """Run a method on one store, and note what it wrote."""
        self._require(name, method, store)
        if method.is_writing:
            turns, size = _extent(name, given, named)
            try:
                self._tenant.host.limiter.count_write(self._tenant.caller, self._tenant.project, turns, size)
            except LimitReached as reached:
                self._tenant.note_refusal(name, store, reached.data["limit"])
                raise
        try:
            with self._borrow(store) as memory:
                result = find(memory)(*given, **named)
        except GraphmemError as error:
            if method.is_writing and not isinstance(error, NotFound):
                self._tenant.note(name, store, "failed", type(error).__name__)
            raise
        if method.is_writing:
            self._written.append(store)
            self._tenant.note(name, store, detail=_id_of(result))
        return result

    def _first(self, name: str, method: Method, find: Callable[[Memory], Any], given: Any, named: Any) -> Any:
        """Run a method on the first store that has the item."""
        missing: list[NotFound] = []
        for store in self._readable():
            try:
                return self._run(name, method, store, find, given, named)
            except NotFound as error:
                missing.append(error)
        raise max(missing, key=lambda error: bool(error.data.get("candidates")))

    def _both(self, name: str, method: Method, *given: Any, **named: Any) -> SearchResult | Answer:
        """Search the stores and merge what they found."""
        bound = _by_name(getattr(Memory, name), given, named)
        found = []
        for store in self._readable():
            result = self._run(name, method, store, lambda memory: getattr(memory, name), (), bound)
            found.append(replace(result, hits=tuple(replace(hit, visibility=store) for hit in result.hits)))
        merged: SearchResult | Answer
        if name == "search":
            merged = found[0] if len(found) == 1 else merge_results(found, bound.get("k", 10), bound.get("budget"))
        else:
            merged = found[0] if len(found) == 1 else merge_answers(found, bound.get("k", 5))
        self._found |= {hit.id: hit.visibility for hit in merged.hits}  # type: ignore[misc]
        return merged

    def _items(self, name: str, method: Method, *given: Any, **named: Any) -> list[Any]:
        """Return the items of all stores that have some of them. Raises NotFound if none has."""
        items: list[Any] = []
        missing: NotFound | None = None
        for store in self._readable():
            try:
                found = self._run(name, method, store, lambda memory: getattr(memory, name), given, named)
            except NotFound as error:
                missing = error
                continue
            items += found
            self._found |= {one.id: store for one in found if isinstance(one, Detail)}
        if not items and missing is not None:
            raise missing
        return items

    # -- forgetting

    def _forget(self, method: Method, **named: Any) -> Any:
        """Forget in the private store what it has. In the team's, an author forgets single items of the own, and an administrator
        all."""
        if named.get("account") is not None:
            raise UsageError("all that an account wrote is forgotten with `graphmem team forget-me`")
        if named.get("id") is None:
            store = self._tenant.visibility or "private"
            method = method if store == "private" else method._replace(right=Right.ADMIN)
            return self._forget_in(store, method, named, is_own=store == "private")
        missing: NotFound | None = None
        for store in self._readable():
            try:
                author = None if store == "private" or self._is_administrator else self._tenant.caller.account
                is_own = store == "private" or author is not None
                return self._forget_in(store, method, named | {"account": author}, is_own=is_own)
            except NotFound as error:
                missing = error
        raise missing or NotFound("there is nothing to forget")

    def _forget_in(self, store: Visibility, method: Method, named: Mapping[str, Any], *, is_own: bool) -> ForgetReport:
        """Forget in a store. What was the caller's own no longer counts for the quota."""
        report: ForgetReport = self._run("forget", method, store, lambda memory: memory.forget, (), named)
        if is_own:
            self._tenant.host.accounts.ledger.give_back(self._tenant.caller.id, self._tenant.project, report.events)
        return report

    @property
    def _is_administrator(self) -> bool:
        return self._tenant.caller.right(self._tenant.project) is Right.ADMIN


class _Service:
    """A part of a memory, such as its tasks."""

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self._name = name
        self._call = call

    def __getattr__(self, name: str) -> Any:
        method = SERVICES[self._name].get(name)
        whole = f"{self._name}.{name}"
        if method is None:
            raise AccessDenied(f"`{whole}` is not offered by a shared server", name=whole)

        def find(memory: Memory) -> Any:
            return getattr(getattr(memory, self._name), name)

        if name in ("root", "known"):  # values
            return self._call(whole, method, lambda memory: lambda: find(memory))
        return partial(self._call, whole, method, find)


def _by_name(method: Callable[..., Any], given: Iterable[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a method of `Memory` by name."""
    try:
        bound = inspect.signature(method).bind(None, *given, **named)
    except TypeError as error:
        raise UsageError(str(error)) from error
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def _is_of_host(entry: Any) -> bool:
    """Return whether a setting is the host's own, such as the address of its database. Nobody else has to know it."""
    section, _, name = entry.key.partition(".")
    return section in ("log", "server", "shared") or any(part in _OF_HOST for part in name.split("_"))


def _extent(name: str, given: Any, named: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many events and bytes of text a writing call brings. Turns are counted one by one."""
    if name in _FREE:
        return 0, 0
    if name == "observe_many":
        turns = given[0] if given else named["turns"]
        return len(turns), _size(turns)
    return 1, _size([given, named])


def _size(value: Any) -> int:
    """Return the bytes of all texts in a value: tags, files and metadata are kept as content is."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "replace"))
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list | tuple | set | frozenset) else 0


def _id_of(result: Any) -> str:
    """Return what the audit log keeps of a result: ids, never text."""
    if isinstance(result, list):
        return " ".join(filter(None, map(_id_of, result)))
    id = (
        result
        if isinstance(result, str)
        else result.get("id")
        if isinstance(result, dict)
        else getattr(result, "id", "")
    )
    return str(id) if _ID.fullmatch(str(id)) else ""
