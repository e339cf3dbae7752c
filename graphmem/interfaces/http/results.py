"""What each route answers with, as models for the OpenAPI description. The types are those of the Python methods behind the verbs,
so that they are written once; only mappings without a type of their own are described here."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pydantic import BaseModel, ConfigDict, Field, create_model

from graphmem.code.reader import CodeReader
from graphmem.interfaces.http.answers import Envelope
from graphmem.interfaces.text.history import HistoryRow
from graphmem.interfaces.verbs.conclusions import Conclusions
from graphmem.interfaces.verbs.several import Several
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory
from graphmem.model import analytics, reports, sources, table
from graphmem.model import results as results_of_searches
from graphmem.model.answers import ImpactReport
from graphmem.model.code_answers import PatchMatches, SymbolHistory, TestPlan, TextMatches
from graphmem.model.table import Table
from graphmem.services.endless import Endless
from graphmem.services.tree import Tree
from graphmem.settings import SettingEntry
from graphmem.tasks.service import Tasks


class Identifier(TypedDict):
    """The id of what was recorded or changed."""

    id: str


class Running(TypedDict):
    """The server is there."""

    status: str
    version: str


class ShownRelation(TypedDict):
    """A relation of an item, and the node at its other end."""

    type: str
    direction: str
    label: str
    id: str
    title: str | None


class ShownItem(TypedDict):
    """A node with its properties (`_label` is its label) and relations."""

    node: dict[str, Any]
    relations: list[ShownRelation]
    truncated: bool


class DrawnNode(TypedDict):
    """A node of a drawing; `until` is when it stopped being true."""

    id: str
    label: str
    title: str
    at: datetime | None
    until: datetime | None


class DrawnEdge(TypedDict):
    """A relation of a drawing."""

    source: str
    relation: str
    target: str


class Subgraph(TypedDict):
    """Nodes and relations for a drawing."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    truncated: bool


class GraphNodes(TypedDict):
    """Columns of nodes: labels are positions in `labels`, times seconds since 1970."""

    id: list[str]
    label: list[int]
    title: list[str]
    at: list[int | None]
    until: list[int | None]


class GraphRelations(TypedDict):
    """Columns of relations: types, sources and targets are positions."""

    source: list[int]
    type: list[int]
    target: list[int]


class WholeGraph(TypedDict):
    """The whole graph in columns."""

    labels: list[str]
    types: list[str]
    nodes: GraphNodes
    relations: GraphRelations
    total: dict[str, int]
    left_out_relations: int


class SessionRow(TypedDict):
    """A session of the list."""

    id: str
    ref: str | None
    title: str | None
    project: str | None
    branch: str | None
    summary: str | None
    turns: int
    first: datetime | None
    last: datetime | None
    opening: str | None


class SessionList(TypedDict):
    """A page of sessions."""

    sessions: list[SessionRow]
    total: int
    page: int
    page_size: int


class SessionTurns(TypedDict):
    """A page of the turns of a session."""

    id: str
    ref: str | None
    turns: list[dict[str, Any]]
    total: int
    page: int
    page_size: int


class Statistics(TypedDict):
    """Counts and sizes of the store."""

    project: str
    path: str
    events: int
    nodes: dict[str, int]
    relations: dict[str, int]
    bytes: dict[str, int]


class Health(TypedDict):
    """The state of the files and projections; or, with `report`, a text for a bug report."""

    sound: NotRequired[bool]
    problems: NotRequired[list[str]]
    advice: NotRequired[list[str]]
    report: NotRequired[Any]


class Outbox(TypedDict):
    """Texts that wait for vectors, and the position of each projection."""

    encoder: str
    jobs: dict[str, Any]
    head: int
    cursors: dict[str, int]


class Schema(TypedDict):
    """Labels with their properties, relations, and named queries."""

    nodes: dict[str, dict[str, str]]
    relations: dict[str, dict[str, Any]]
    queries: list[dict[str, Any]]


class EventRow(TypedDict):
    """An event of the log in one line; `gone` are ids that it removed."""

    position: int
    id: str
    type: str
    at: datetime
    session: str
    project: str
    actor: str
    text: str
    gone: NotRequired[list[str]]


class WholeEvent(EventRow):
    """An event with its payload, and its neighbours in the session."""

    payload: dict[str, Any]
    previous: str | None
    next: str | None


class Compacted(TypedDict):
    """How many memories were made of buffered turns."""

    memories: int


class FoundHits(TypedDict):
    """Hits of a search, and the packed context for an agent."""

    hits: list[results_of_searches.Hit]
    context: str


_RECORDS = (results_of_searches, sources, reports, table, analytics)
_GROUPS: dict[str, type] = {"tasks": Tasks, "code": CodeReader, "tree": Tree, "endless": Endless}
_METHODS: dict[str, Callable[..., Any]] = {
    "tasks list": Tasks.find, "tasks export": Tasks.dump, "explain": CodeReader.explain, "doctor": Memory.health,
}  # fmt: skip
_TYPES: dict[str, Any] = {
    "observe": Identifier, "remember": Identifier, "supersede": Identifier, "feedback": dict[str, str], "show": ShownItem | str,
    "sessions": SessionList, "session": SessionTurns, "around": Subgraph, "stats": Statistics, "doctor": Health, "outbox": Outbox,
    "schema": Schema, "history": list[HistoryRow] | Table, "tasks report": str, "tree compact": Compacted,
    "conclude": Conclusions, "code impact": ImpactReport | TestPlan | Several,
    "code history": Table | SymbolHistory | Several, "code text": TextMatches | PatchMatches,
}  # fmt: skip
_SEVERAL = frozenset(
    {
        "ask",
        "explain",
        "code source",
        "code callers",
        "code callees",
        "code implementations",
        "code outline",
        "code dead",
    }
)
CONFIG = list[SettingEntry]


class Meta(BaseModel):
    """What is said about an answer: the verb, its duration, a note for the reader, and where the next page is."""

    model_config = ConfigDict(extra="allow")
    verb: str | None = None
    seconds: float | None = None
    note: str | None = None
    next: Any = None


def answer_type(verb: Verb) -> Any:
    """Return the type of the result of a verb."""
    if verb.name in _TYPES:
        return _TYPES[verb.name]
    method = _METHODS.get(verb.name) or _method(verb.name)
    found = _returned(method)
    return found | Several if verb.name in _SEVERAL else found


def _returned(method: Callable[..., Any]) -> Any:
    """Return the annotated result of a method. Some names are only imported for type checkers, so they are looked up here."""
    whole = inspect.unwrap(method)
    said = whole.__annotations__["return"]
    if not isinstance(said, str):
        return said
    names = {name: value for module in _RECORDS for name, value in vars(module).items()}
    return eval(said, names | whole.__globals__)


def _method(name: str) -> Callable[..., Any]:
    group, _, word = name.rpartition(" ")
    owner: Any = _GROUPS[group] if group else Memory
    found: Callable[..., Any] = getattr(owner, word.replace("-", "_"))
    return found


def answer_model(name: str, kind: Any) -> type[BaseModel]:
    """Return the model of an answer: `data` of a type, and `meta`."""
    return create_model(
        f"{name}Answer", __base__=Envelope, __doc__="A result.", data=(_model(kind), ...), meta=(Meta, ...)
    )


_MODELS: dict[Any, Any] = {}


def _model(kind: Any) -> Any:
    """Return a type as the JSON that `interfaces.envelope` makes of it: records become objects."""
    if kind in _MODELS:
        return _MODELS[kind]
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return reduce(or_, (_model(one) for one in inner))
    if origin is typing.Literal:
        return kind
    if origin in (typing.NotRequired, typing.Required, typing.Annotated):
        return _model(inner[0])
    if origin in (list, set, frozenset, Sequence) or kind in (list, tuple):
        return list[_model(inner[0]) if inner else Any]  # type: ignore[misc]
    if origin is tuple:
        return list[_model(inner[0])] if inner[-1:] == (...,) else list[Any]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[str, _model(inner[1])]  # type: ignore[misc]
    if kind in (dict, Mapping):
        return dict[str, Any]
    if kind is Path:
        return str
    if isinstance(kind, type) and (fields := _fields(kind)) is not None:
        return _record(kind, fields)
    return kind if kind in (str, int, float, bool, datetime, type(None)) else Any


def _record(kind: type, fields: Mapping[str, tuple[Any, bool]]) -> Any:
    definitions: dict[str, Any] = {
        _safe(name): (_model(inner), Field(... if needed else None, alias=name))
        for name, (inner, needed) in fields.items()
    }
    said = (kind.__doc__ or "").split("\n\n")[0]
    made = create_model(kind.__name__, __doc__=said, __config__=ConfigDict(extra="allow"), **definitions)
    _MODELS[kind] = made
    return made


def _safe(name: str) -> str:
    return f"field{name}" if name.startswith("_") else name


def _fields(kind: type) -> dict[str, tuple[Any, bool]] | None:
    """Return the fields of a record with their types, and whether an answer always has them; None for other types."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {field.name: (hints[field.name], True) for field in dataclasses.fields(kind)}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints = typing.get_type_hints(kind)
        return {name: (hints[name], True) for name in kind._fields}
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        return {name: (hint, typing.get_origin(hint) is not NotRequired) for name, hint in hints.items()}
    return None
