"""Reads the setting `log.url`: which PostgreSQL server, database and schema have the log of a store."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from graphmem.errors import UsageError

_SCHEMES = ("postgresql", "postgres")
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,40}")
_DEFAULT_SCHEMA = "graphmem"
_EXAMPLE = "postgresql://db.example/team?schema=crane"


class LogPlace(NamedTuple):
    """A connection string of libpq without the schema, the schema, and a name for messages, which contains no user."""

    conninfo: str
    schema: str
    name: str


def parse_log_url(url: str) -> LogPlace:
    """Parse the URL of a log. The parameter `schema` names the log in its database. Raises UsageError for anything but a
    PostgreSQL URL, and for a password: the file with the settings is no place for it."""
    try:
        parts = urlsplit(url)
        secret, port = parts.password, parts.port
    except ValueError as error:
        raise UsageError(f"setting `log.url`: {error}; an example is {_EXAMPLE}", key="log.url") from error
    if parts.scheme not in _SCHEMES:
        raise UsageError(f"setting `log.url`: must be a PostgreSQL URL such as {_EXAMPLE}", key="log.url")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if secret is not None or "password" in options:
        raise UsageError(
            "setting `log.url`: must not contain a password: put it into ~/.pgpass or the variable PGPASSWORD",
            key="log.url",
        )
    schema = options.pop("schema", _DEFAULT_SCHEMA)
    if not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
        raise UsageError(
            f"setting `log.url`: {schema!a} is no name of a schema: use up to 41 lower-case letters, digits and `_`",
            key="log.url",
        )
    conninfo = urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(options, quote_via=quote), ""))
    host = options.get("host") or parts.hostname or "this machine"
    database = unquote(parts.path.strip("/"))
    where = f"{host}:{port}" if port else host
    return LogPlace(conninfo, schema, f"{where}{f'/{database}' if database else ''}, schema {schema}")


def with_schema(url: str, schema: str) -> str:
    """Return the URL of another log in the same database."""
    parts = urlsplit(url)
    options = {**dict(parse_qsl(parts.query, keep_blank_values=True)), "schema": schema}
    return urlunsplit(parts._replace(query=urlencode(options, quote_via=quote)))
