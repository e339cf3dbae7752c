"""One style of paging: `page` and `page_size`, `meta.next` with the next page, and a Link header that leads to it. Verbs without
pages of their own get them here. The log is read by position instead, because it grows while it is read."""

from __future__ import annotations

import inspect
import typing
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from graphmem.interfaces.http.results import answer_type
from graphmem.interfaces.noted import ResultWithNote, split_note
from graphmem.interfaces.verbs.verb import Verb
from graphmem.model.table import Table

PAGE_PARAMETERS: tuple[tuple[str, Any, str, Any], ...] = (
    ("page", int, "page number, from 1", 1),
    ("page_size", int | None, "rows per page (default: all rows on one page)", None),
)
_READS_LOG = frozenset({"history"})


class Page(NamedTuple):
    """The wanted page of a list."""

    number: int
    size: int


def has_added_pages(verb: Verb) -> bool:
    """Return whether a verb answers with a list and has no pages of its own."""
    kind = answer_type(verb)
    if verb.writes or verb.name in _READS_LOG or "page" in inspect.signature(verb.call).parameters:
        return False
    return kind is Table or typing.get_origin(kind) is list


def take_page(given: dict[str, Any]) -> Page | None:
    """Take the wanted page out of the arguments of a request; None if all rows are wanted."""
    number, size = given.pop("page", 1), given.pop("page_size", None)
    return Page(number, size) if size else None


def cut_page(result: Any, page: Page | None) -> tuple[Any, dict[str, Any]]:
    """Return the page of a result, and what `meta` says about it."""
    value, note = split_note(result)
    if page is None:
        return result, _own_paging(value)
    first = (page.number - 1) * page.size
    rows = value.rows if isinstance(value, Table) else value
    kept = rows[first : first + page.size]
    shown = Table(value.columns, kept, value.truncated) if isinstance(value, Table) else kept
    paging = _paging(page.number, page.size, len(rows))
    return (ResultWithNote(shown, note) if note else shown), paging


def _own_paging(value: Any) -> dict[str, Any]:
    """Return the same about a verb that has pages of its own."""
    if isinstance(value, dict) and {"page", "page_size", "total"} <= value.keys():
        return _paging(value["page"], value["page_size"], value["total"])
    return {}


def _paging(number: int, size: int, total: int) -> dict[str, Any]:
    return {"page": number, "page_size": size, "total": total, "next": number + 1 if number * size < total else None}


def link_next(answer: Response, request: Request | None, paging: dict[str, Any], name: str = "page") -> Response:
    """Add the Link header that leads to the next page. `name` is the parameter that `meta.next` is the value of."""
    following = paging.get("next")
    if request is not None and following is not None:
        query = [(key, value) for key, value in request.query_params.multi_items() if key != name]
        answer.headers["link"] = f'<{request.url.path}?{urlencode([*query, (name, str(following))])}>; rel="next"'
    return answer
