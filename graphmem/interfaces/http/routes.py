"""API routes, one for each verb that needs no local files. Reading verbs are GET with query parameters, writing verbs
are POST with a JSON body. `graphmem code callers` is `GET /api/code/callers`."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
import types
import typing
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import ConfigDict, Field, create_model

from graphmem.interfaces.http.answers import success
from graphmem.interfaces.http.lanes import LaneExecutor, lane_of
from graphmem.interfaces.http.paging import PAGE_PARAMETERS, cut_page, has_added_pages, link_next, take_page
from graphmem.interfaces.http.requests import refuse_unknown_parameters
from graphmem.interfaces.http.results import answer_model, answer_type
from graphmem.interfaces.verbs.registry import VERBS
from graphmem.interfaces.verbs.verb import Verb
from graphmem.ports.callers import cancellable_calls

_ELSEWHERE = frozenset({"config"})  # has its own resource
_LOOK_S = 0.2  # seconds between two looks whether the client of a query is still there
_LIMITS = {
    "limit": (1, 100_000), "around limit": (1, 5_000), "k": (1, 1_000), "days": (1, 36_500), "page": (1, 1_000_000),
    "page_size": (1, 1_000), "window": (0, 1_000), "depth": (1, 3), "budget": (0, 2**53), "line": (0, 2**53), "column": (0, 2**53),
    "first": (0, 2**53), "code impact depth": (1, 100), "before": (0, 2**53),
}  # fmt: skip
_WHOLE = (-(2**53), 2**53)  # integers that JSON and the engines represent exactly


Parameter = tuple[str, Any, str, Any]  # name, type, description, default


def verb_router(lanes: LaneExecutor, more: Sequence[Parameter] = ()) -> APIRouter:
    """Return a router with all verbs. Each route has the parameters of its verb and `more`."""
    router = APIRouter(prefix="/api", tags=["verbs"], dependencies=[Depends(refuse_unknown_parameters)])
    for verb in VERBS:
        if not verb.local and verb.name not in _ELSEWHERE:
            path = "/" + verb.name.replace(" ", "/")
            parameters = [*_parameters(verb), *more]
            endpoint = _writing(lanes, verb, parameters) if verb.writes else _reading(lanes, verb, parameters)
            router.add_api_route(
                path, endpoint, methods=["POST" if verb.writes else "GET"], summary=verb.help,
                response_model=answer_model(_title(verb), answer_type(verb)),
                operation_id=verb.name.replace(" ", "_").replace("-", "_"),
            )  # fmt: skip
    return router


def find(name: str) -> Verb:
    """Return the verb of a name."""
    return next(verb for verb in VERBS if verb.name == name)


async def run(lanes: LaneExecutor, verb: Verb, given: dict[str, Any], request: Request | None = None) -> Response:
    """Run a verb and return the response with its duration. A query is stopped when the client of `request` disconnects. A
    list is cut into pages if `page_size` asks for that."""
    started = time.perf_counter()
    cut = take_page(given) if has_added_pages(verb) else None
    if request is not None and lane_of(verb.name) == "query":
        async with _watch(request):
            result = await lanes.verb(verb, given)
    else:
        result = await lanes.verb(verb, given)
    value, paging = cut_page(result, cut)
    seconds = round(time.perf_counter() - started, 4)
    return link_next(success(value, verb=verb.name, seconds=seconds, **paging), request, paging)


@asynccontextmanager
async def _watch(request: Request) -> AsyncIterator[None]:
    """Tell the calls that are made meanwhile when the client has closed its connection."""
    left = threading.Event()

    async def look() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(_LOOK_S)
        left.set()

    watcher = asyncio.create_task(look())
    try:
        with cancellable_calls(left.is_set):
            yield
    finally:
        watcher.cancel()


def _reading(lanes: LaneExecutor, verb: Verb, given_parameters: Sequence[Parameter]) -> Callable[..., Any]:
    async def endpoint(request: Request, **given: Any) -> Response:
        return await run(lanes, verb, {name: value for name, value in given.items() if value is not None}, request)

    parameters = [inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)]
    for name, kind, text, default in [*given_parameters, *(PAGE_PARAMETERS if has_added_pages(verb) else ())]:
        marker: Any = Query(description=text, **_bounds(verb, name, kind))
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, marker])
        )
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
    return endpoint


def _writing(lanes: LaneExecutor, verb: Verb, given_parameters: Sequence[Parameter]) -> Callable[..., Any]:
    fields: dict[str, Any] = {}
    for name, kind, text, default in given_parameters:
        first = ... if default is inspect.Parameter.empty else default
        fields[name] = kind, Field(first, description=text, **_bounds(verb, name, kind))
    body = create_model(_title(verb), __config__=ConfigDict(extra="forbid"), **fields)

    async def endpoint(given: Any) -> Response:
        return await run(
            lanes, verb, {name: getattr(given, name) for name in fields if getattr(given, name) is not None}
        )

    parameter = inspect.Parameter("given", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=body)
    endpoint.__signature__ = inspect.Signature([parameter], return_annotation=Response)  # type: ignore[attr-defined]
    return endpoint


def _parameters(verb: Verb) -> list[Parameter]:
    """Return (name, type, description, default) of each parameter."""
    hints = typing.get_type_hints(verb.call, include_extras=True)
    found = []
    for name, parameter in inspect.signature(verb.call).parameters.items():
        if name in ("mem", "progress"):
            continue
        kind, *notes = typing.get_args(hints[name]) if typing.get_origin(hints[name]) is Annotated else (hints[name],)
        found.append((name, kind, str(notes[0]) if notes else "", parameter.default))
    return found


def _title(verb: Verb) -> str:
    return "".join(part.title() for part in verb.name.replace("-", " ").split())


def _bounds(verb: Verb, name: str, kind: Any) -> dict[str, Any]:
    kinds = typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    if int not in kinds:
        return {}
    least, most = _LIMITS.get(f"{verb.name} {name}") or _LIMITS.get(name) or _WHOLE
    return {"ge": least, "le": most}
