"""API resources besides the verbs: single events, citations, search with filters, and settings."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from graphmem.browse.whole_graph import MAX_NODES
from graphmem.errors import NotFound
from graphmem.interfaces.http.answers import success
from graphmem.interfaces.http.brief import summarise_event
from graphmem.interfaces.http.lanes import LaneExecutor
from graphmem.interfaces.http.paging import link_next
from graphmem.interfaces.http.requests import refuse_unknown_parameters
from graphmem.interfaces.http.results import CONFIG, EventRow, FoundHits, WholeEvent, WholeGraph, answer_model
from graphmem.memory import Memory
from graphmem.model.results import Detail

_STRICT = ConfigDict(extra="forbid", populate_by_name=True)
Id = Annotated[str, Path(max_length=500)]


class Filters(BaseModel):
    """Restrictions on search hits."""

    model_config = _STRICT
    session: str | None = None
    types: list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None


class Options(BaseModel):
    """Number and quality of hits, and whether to pack a context for an agent."""

    model_config = _STRICT
    top_k: int = Field(10, alias="topK", ge=1, le=200)
    min_score: float = Field(0.0, alias="minScore", ge=0, le=1)
    progressive: bool = False


class Question(BaseModel):
    """A search request."""

    model_config = _STRICT
    query: str = Field(max_length=10_000)
    filters: Filters = Field(default_factory=Filters)
    options: Options = Field(default_factory=lambda: Options.model_validate({}))


class Changes(BaseModel):
    """Settings by dotted key; null restores the default."""

    model_config = _STRICT
    changes: dict[str, str | bool | int | float | None]


def resource_router(lanes: LaneExecutor) -> APIRouter:
    """Return a router with these resources."""
    router = APIRouter(prefix="/api", tags=["resources"], dependencies=[Depends(refuse_unknown_parameters)])
    _events(router, lanes)
    _search(router, lanes)
    _graph(router, lanes)
    _config(router, lanes)
    return router


def _graph(router: APIRouter, lanes: LaneExecutor) -> None:
    @router.get(
        "/graph",
        response_model=answer_model("Graph", WholeGraph),
        summary="Return the whole graph in columns, for a drawing.",
    )
    async def graph(
        limit: Annotated[int, Query(ge=1, le=MAX_NODES, description="maximum number of nodes")] = MAX_NODES,
        without: Annotated[list[str] | None, Query(description="leave out nodes with these labels")] = None,
    ) -> Response:
        left_out = sorted(set(without or ()))

        def read(memory: Memory) -> Any:
            return memory.whole_graph(limit=limit, without=left_out)

        is_usual = limit == MAX_NODES and not left_out
        return success(await (lanes.counted("graph", read) if is_usual else lanes.run(read, "slow")))


def _events(router: APIRouter, lanes: LaneExecutor) -> None:
    @router.get(
        "/events",
        response_model=answer_model("Events", list[EventRow]),
        summary="List the latest events, newest first.",
    )
    async def events(
        request: Request,
        session: Annotated[str | None, Query(alias="sessionId")] = None,
        type: Annotated[list[str] | None, Query()] = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
        before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    ) -> Response:
        def read(memory: Memory) -> Any:
            return memory.history(session=session, types=type, limit=limit, before=before)

        found = await lanes.run(read)
        more = found[0].position if len(found) == limit else None
        answer = success([summarise_event(event) for event in reversed(found)], next=more)
        return link_next(answer, request, {"next": more}, "before")

    @router.get(
        "/events/{id}",
        response_model=answer_model("Event", WholeEvent),
        summary="Return an event with its predecessor and successor.",
    )
    async def event(id: Id) -> Response:
        def read(memory: Memory) -> Any:
            found = memory.event(id)
            before = memory.history(session=found.session, before=found.position, limit=1)
            after = memory.history(session=found.session, after=found.position, limit=100_000)
            around = {"previous": before[-1].id if before else None, "next": after[0].id if after else None}
            return {**summarise_event(found), "payload": found.payload, **around}

        return success(await lanes.run(read))

    @router.get(
        "/citations/{id}", response_model=answer_model("Citation", Detail), summary="Return the item of a citation."
    )
    async def citation(id: Id) -> Response:
        return success(await lanes.run(lambda memory: _cited(memory, id)))

    @router.get(
        "/citations/{id}/related",
        response_model=answer_model("Related", list[Detail]),
        summary="List items that share an entity with this one.",
    )
    async def related(id: Id) -> Response:
        def read(memory: Memory) -> Any:
            return memory.details(list(_cited(memory, id).related))

        return success(await lanes.run(read))


def _cited(memory: Memory, id: str) -> Detail:
    found = memory.details([id])
    if not found:
        raise NotFound(f"unknown item `{id}`: search for it", id=id)
    return found[0]


def _search(router: APIRouter, lanes: LaneExecutor) -> None:
    @router.post("/search", response_model=answer_model("Found", FoundHits), summary="Search with filters.")
    async def search(question: Question) -> Response:
        started = time.perf_counter()
        chosen, options = question.filters, question.options

        def read(memory: Memory) -> Any:
            return memory.search(question.query, k=options.top_k, kinds=chosen.types, session=chosen.session,
                                 budget=2_000 if options.progressive else None, since=_aware(chosen.since),
                                 until=_aware(chosen.until), min_score=options.min_score)  # fmt: skip

        found = await lanes.run(read)
        meta = {"total": found.total, "confidence": found.confidence, "expanded": found.expanded, "reason": found.reason,
                "tokens": found.tokens, "degraded": dict(found.degraded), "searchTime": round(time.perf_counter() - started, 4),
                "mode": "progressive" if options.progressive else "flat"}  # fmt: skip
        return success({"hits": found.hits, "context": found.context}, **meta)


def _aware(time: datetime | None) -> datetime | None:
    return time.astimezone() if time is not None and time.tzinfo is None else time


def _config(router: APIRouter, lanes: LaneExecutor) -> None:
    @router.get(
        "/config",
        response_model=answer_model("Config", CONFIG),
        summary="List all settings with value, default and allowed values.",
    )
    async def config() -> Response:
        return success(await lanes.run(lambda memory: memory.config()))

    @router.patch("/config", response_model=answer_model("Configured", CONFIG), summary="Change settings of the store.")
    async def change(given: Changes) -> Response:
        done = await lanes.run(lambda memory: memory.configure(given.changes))
        return success(done, restartRequired=bool(given.changes))
