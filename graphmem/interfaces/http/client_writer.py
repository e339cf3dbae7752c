"""Writes the Python client of the API, `interfaces/http/client.py`, from the OpenAPI description of a running server:
`python -m graphmem.interfaces.http.client_writer openapi.json`, then `ruff format`. The tests compare the file with what is
written here."""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("client.py")
_JSON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}
_SKIPPED = frozenset({"Meta", "Failure", "Problem", "HTTPValidationError", "ValidationError"})
_HEAD = '''"""A client of the HTTP API of `graphmem serve`, with types. It needs nothing but this file, which `client_writer`
writes.

    client = Client("http://127.0.0.1:37777", token)
    for hit in client.search(query="why whole cents")["hits"]:
        print(hit["title"])
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any, NotRequired, TypedDict


class ApiError(Exception):
    """A refused request: its status, code, and a sentence that says what to do."""

    def __init__(self, status: int, code: str, message: str, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.data = status, code, message, data


'''
_CLIENT = '''class Client:
    """The API of one server. Each method is a route, and returns the data of its answer; `meta` is that of the last answer.
    Raises ApiError for a refused request, URLError if there is no server."""

    def __init__(self, url: str, token: str, *, store: str = "", timeout_s: float = 60.0) -> None:
        self.url, self.timeout_s = url.rstrip("/"), timeout_s
        self.meta: dict[str, Any] = {}
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if store:
            self._headers["Graphmem-Store"] = store

    def pages(self, method: Callable[..., Any], **given: Any) -> Iterator[Any]:
        """Call a method that lists something for each page, as `page` and `page_size` cut it."""
        page: Any = 1
        while page:
            yield method(**given, page=page)
            page = self.meta.get("next")

    def _call(self, method: str, path: str, query: dict[str, Any], body: dict[str, Any] | None = None) -> Any:
        pairs = [(name, one) for name, value in query.items() if value is not None for one in _each(value)]
        address = self.url + path + (f"?{urllib.parse.urlencode(pairs)}" if pairs else "")
        given = {name: value for name, value in (body or {}).items() if value is not None}
        data = None if body is None else json.dumps(given).encode()
        headers = {**self._headers, **({"Content-Type": "application/json"} if data is not None else {})}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(address, data, headers, method=method), timeout=self.timeout_s
            ) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        self.meta = found["meta"]
        return found["data"]

'''
_TAIL = """

def _each(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in values]


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    try:
        said = json.load(error)["error"]
    except (ValueError, KeyError, TypeError):
        return ApiError(error.code, "Refused", str(error.reason), {})
    return ApiError(error.code, said["code"], said["message"], said["data"])
"""


def write_client(openapi: dict[str, Any]) -> str:
    """Return the source of the client, not formatted."""
    schemas = openapi["components"]["schemas"]
    wanted = {name: schema for name, schema in schemas.items() if _is_record(name, schema)}
    records = "".join(_record(name, schema, wanted) for name, schema in sorted(wanted.items()))
    methods = "\n".join(
        _method(path, method, operation, schemas, wanted)
        for path, operations in sorted(openapi["paths"].items())
        for method, operation in operations.items()
    )
    return _HEAD + records + _CLIENT + methods + _TAIL


def _is_record(name: str, schema: dict[str, Any]) -> bool:
    if name in _SKIPPED or (name.endswith("Answer") and "meta" in schema.get("properties", {})):
        return False
    names = schema.get("properties", {})
    return bool(names) and all(one.isidentifier() and not keyword.iskeyword(one) for one in names)


def _record(name: str, schema: dict[str, Any], known: dict[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    said = " ".join(schema.get("description", name).split())
    lines = [f"class {name}(TypedDict):", *_docstring(said, 4), ""]
    for field, inner in schema["properties"].items():
        kind = _type(inner, known)
        lines.append(f"    {field}: {kind if field in needed else f'NotRequired[{kind}]'}")
    return "\n".join(lines) + "\n\n\n"


def _docstring(said: str, indent: int) -> list[str]:
    wrapped = textwrap.wrap(said.replace("\\", "\\\\"), 118, break_long_words=False, break_on_hyphens=False)
    lines = ['"""' + wrapped[0], *wrapped[1:]] if wrapped else ['"""']
    lines[-1] += '"""'
    return [" " * indent + line for line in lines]


def _type(schema: dict[str, Any], known: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return name if name in known else "dict[str, Any]"
    if "anyOf" in schema:
        kinds = list(dict.fromkeys(_type(one, known) for one in schema["anyOf"]))
        return "Any" if "Any" in kinds else " | ".join(kinds)
    if schema.get("type") == "array":
        return f"list[{_type(schema.get('items', {}), known)}]"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"dict[str, {_type(schema['additionalProperties'], known)}]"
    return _JSON.get(schema.get("type", ""), "Any")


def _method(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any], known: dict[str, Any]) -> str:
    inside: list[tuple[str, dict[str, Any], bool]] = []
    query: list[tuple[str, dict[str, Any], bool]] = []
    for one in operation.get("parameters", ()):
        (inside if one["in"] == "path" else query).append((one["name"], one["schema"], one.get("required", False)))
    body: list[tuple[str, dict[str, Any], bool]] = []
    if content := operation.get("requestBody"):
        schema = schemas[content["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        body = [(name, inner, name in schema.get("required", ())) for name, inner in schema["properties"].items()]
    given = [f"{name}: {_type(inner, known)}" for name, inner, _ in inside]
    named = [_parameter(name, inner, needed, known) for name, inner, needed in (*query, *body)]
    answer = schemas[operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
    kind = _type(answer["properties"]["data"], known)
    address = "f" * bool(inside) + '"' + path.replace("{id}", "{urllib.parse.quote(id, safe='')}") + '"'
    arguments = [
        f'"{method.upper()}"',
        address,
        "{" + ", ".join(f'"{name}": {_safe(name)}' for name, *_ in query) + "}",
    ]
    if content:
        arguments.append("{" + ", ".join(f'"{name}": {_safe(name)}' for name, *_ in body) + "}")
    signature = ", ".join(["self", *given, *(["*", *named] if named else [])])
    name = _name(operation["operationId"], path, method)
    lines = [f"    def {name}({signature}) -> {kind}:", *_docstring(operation.get("summary") or name, 8)]
    return "\n".join(
        [*lines, f"        found: {kind} = self._call({', '.join(arguments)})", "        return found", ""]
    )


def _parameter(name: str, schema: dict[str, Any], needed: bool, known: dict[str, Any]) -> str:
    kind = _type(schema, known)
    if needed:
        return f"{_safe(name)}: {kind}"
    default = schema.get("default")
    optional = kind if default is not None or "None" in kind or kind == "Any" else f"{kind} | None"
    return f"{_safe(name)}: {optional} = {default!r}"


def _safe(name: str) -> str:
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.replace("-", "_")).lower()
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def _name(operation: str, path: str, method: str) -> str:
    """Return the name of a method: that of the verb, or of the resource."""
    plain = path.removeprefix("/api/").strip("/").replace("/", "_").replace("-", "_")
    if operation == plain:
        return _safe(plain)
    if "{id}" in path:
        return {"events_{id}": "event", "citations_{id}": "citation", "citations_{id}_related": "related"}[plain]
    return {"get": plain, "patch": f"change_{plain}", "post": f"{plain}_with_filters"}[method]


def main() -> None:
    """Write the file, not formatted."""
    FILE.write_text(write_client(json.loads(Path(sys.argv[1]).read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
