"""Describes the API: the OpenAPI document with its security schemes, the AsyncAPI document of `/ws`, and a page with both for
people, which loads nothing from elsewhere."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response

from graphmem.interfaces.http.asyncapi import describe_socket

_LINE = "1px solid color-mix(in srgb,currentColor 22%,transparent)"
_STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.55 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{font:13px/1.5 ui-monospace,monospace}b{display:inline-block;min-width:3.6rem}a{color:LinkText}"
    f"pre{{overflow:auto;padding:.6rem;border:{_LINE};border-radius:8px}}details{{border-top:{_LINE};padding:.35rem 0}}"
    "summary{cursor:pointer}table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top}"
)
_EXAMPLES = Path(__file__).with_name("examples.toml")
_DEPTH = 3  # levels of a type that are written out


def install(app: FastAPI) -> None:
    """Add the documents, and the page at `/api/docs`."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _describe(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/api/asyncapi.json", include_in_schema=False)
    async def asyncapi() -> Response:
        return JSONResponse(describe_socket())

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(reference_page(openapi(), describe_socket()), media_type="text/html; charset=utf-8")


def _describe(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    found["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "a token of `graphmem token new`, for programs"},
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": "graphmem_PORT",
            "description": "the session of a browser",
        },
    }
    found["security"] = [{"token": []}, {"session": []}]
    found["paths"]["/health"]["get"]["security"] = []
    for operations in found["paths"].values():
        for method, operation in operations.items():
            if method == "get":
                operation["responses"]["304"] = {"description": "the client has this answer already (If-None-Match)"}
    _add_examples(found)
    return found


def _add_examples(described: dict[str, Any]) -> None:
    """Give each operation that takes parameters a whole request as an example, of `examples.toml`."""
    examples = tomllib.loads(_EXAMPLES.read_text("utf-8"))
    for operations in described["paths"].values():
        for operation in operations.values():
            example = examples.get(operation["operationId"], {})
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in example:
                    parameter["example"] = example[parameter["name"]]
            if "requestBody" in operation:
                operation["requestBody"]["content"]["application/json"]["example"] = example


def reference_page(openapi: dict[str, Any], asyncapi: dict[str, Any]) -> bytes:
    """Return the reference as a page."""
    groups: dict[str, list[str]] = {}
    for path, operations in openapi["paths"].items():
        for method, operation in operations.items():
            group = path.removeprefix("/api/").partition("/")[0] if path.count("/") > 2 else "general"
            groups.setdefault(group, []).append(_operation(path, method, operation, openapi))
    body = "".join(f"<h2>{escape(name)}</h2>{''.join(shown)}" for name, shown in groups.items())
    messages = "".join(_message(name, one) for name, one in asyncapi["components"]["messages"].items())
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>graphmem API</title>'
        f'<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>{_STYLE}</style><main>'
        f"<h1>graphmem API {escape(openapi['info']['version'])}</h1><p>{escape(openapi['info']['description'])}</p>"
        "<p>Programs send <code>Authorization: Bearer TOKEN</code>. Lists have <code>page</code> and <code>page_size</code>;"
        " <code>meta.next</code> and the Link header lead to the next page. Answers have an ETag for If-None-Match."
        ' <a href="/api/openapi.json">OpenAPI</a>, <a href="/api/asyncapi.json">AsyncAPI</a></p>'
        f"{body}<h2>/ws</h2><p>{escape(asyncapi['info']['description'])}</p>{messages}</main></html>"
    ).encode()


def _operation(path: str, method: str, operation: dict[str, Any], whole: dict[str, Any]) -> str:
    rows = "".join(
        _row(one["name"], one["schema"], one.get("required", False), one) for one in operation.get("parameters", ())
    )
    if body := operation.get("requestBody"):
        schema = _resolve(body["content"]["application/json"]["schema"], whole)
        needed = schema.get("required", ())
        rows += "".join(_row(name, one, name in needed, one) for name, one in schema.get("properties", {}).items())
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    shape = json.dumps(_shape(answer, whole, _DEPTH), indent=1, ensure_ascii=False)
    table = f"<table><tr><th>parameter<th>type<th>meaning</tr>{rows}</table>" if rows else ""
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><b>{method.upper()}</b> <code>{escape(path)}</code> '
        f"{escape(operation.get('summary', ''))}</summary>{table}"
        f"<p>Request</p><pre>{escape(_request(path, method, operation))}</pre>"
        f"<p>Answer</p><pre>{escape(shape)}</pre></details>"
    )


def _row(name: str, schema: dict[str, Any], needed: bool, described: dict[str, Any]) -> str:
    said = described.get("description") or schema.get("description") or ""
    return (
        f"<tr><td><code>{escape(name)}{'' if needed else '?'}</code><td>{escape(_type(schema))}<td>{escape(said)}</tr>"
    )


def _request(path: str, method: str, operation: dict[str, Any]) -> str:
    """Return a request as one types it, with the example of the operation."""
    given = {one["name"]: one["example"] for one in operation.get("parameters", ()) if "example" in one}
    for name in [name for name in given if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", quote(str(given.pop(name)), safe=""))
    asked = urlencode({name: _spelt(value) for name, value in given.items()}, doseq=True)
    command = f'curl -H "Authorization: Bearer $TOKEN" "$URL{path}{"?" * bool(asked)}{asked}"'
    if body := operation.get("requestBody"):
        sent = json.dumps(body["content"]["application/json"].get("example", {}), ensure_ascii=False)
        command += f" -X {method.upper()} --json {shlex.quote(sent)}"
    return command


def _spelt(value: Any) -> Any:
    """Return a value as it stands in a query."""
    return str(value).lower() if isinstance(value, bool) else value


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"] if one.get("type") != "null"))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type") or schema.get("$ref", "value").rpartition("/")[2])


def _resolve(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = whole["components"]["schemas"][name] if name else schema
    return found


def _shape(schema: dict[str, Any], whole: dict[str, Any], depth: int) -> Any:
    """Return an answer with the types of its parts in place of their values."""
    known = _resolve(schema, whole)
    if options := known.get("anyOf"):
        wanted = [one for one in options if one.get("type") != "null"] or options
        return _shape(wanted[0], whole, depth)
    if known.get("type") == "array":
        return [_shape(known.get("items", {}), whole, depth)]
    if "properties" in known and depth:
        return {name: _shape(inner, whole, depth - 1) for name, inner in known["properties"].items()}
    return _type(known) if "type" in known else "value"


def _message(name: str, message: dict[str, Any]) -> str:
    shown = "\n".join(_lines(message))
    return f"<details><summary><b>{escape(name)}</b> {escape(message['summary'])}</summary><pre>{escape(shown)}</pre></details>"


def _lines(message: dict[str, Any]) -> Iterator[str]:
    yield from (json.dumps(one["payload"], ensure_ascii=False) for one in message.get("examples", ()))
    yield json.dumps(message["payload"], indent=1, ensure_ascii=False)
