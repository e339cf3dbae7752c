"""All settings, validated once. The only reader of environment variables and of TOML files; everyone else gets a
`Settings`. Unknown keys are refused; secrets come from the environment alone."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphmem.errors import UsageError

FILE_NAME = "settings.toml"
_PREFIX = "GRAPHMEM_"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Graph(_Section):
    """The graph engine."""

    engine: Literal["kuzu"] = "kuzu"
    buffer_pool_mb: int = Field(256, ge=64)
    query_timeout_s: float = Field(30.0, gt=0)
    query_rows: int = Field(10_000, ge=1)


class Embedding(_Section):
    """The text encoder (REQUIREMENTS 6)."""

    provider: Literal["wordllama", "none"] = "wordllama"
    batch: int = Field(512, ge=1)


class Ingest(_Section):
    """Limits of the sources."""

    patch_bytes: int = Field(20_000, ge=0)
    file_bytes: int = Field(1_000_000, ge=1_000)


class Owner(_Section):
    """The background process that owns the graph. Times in seconds."""

    idle_s: float = Field(300.0, gt=0)
    poll_s: float = Field(0.2, gt=0)
    poll_most_s: float = Field(2.0, gt=0)


class Privacy(_Section):
    """What is hidden before anything is stored (REQUIREMENTS 10)."""

    strict: bool = False
    anonymize: bool = False


class Settings(_Section):
    """Everything that can be set; the defaults work offline."""

    graph: Graph = Graph()
    embedding: Embedding = Embedding()
    ingest: Ingest = Ingest()
    owner: Owner = Owner()
    privacy: Privacy = Privacy()


def load(store: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Settings of a store: its `settings.toml`, then `GRAPHMEM_SECTION__KEY` variables, then `overrides`
    (nested, or with dotted keys). Raises UsageError that names the key which is wrong."""
    values: dict[str, Any] = {}
    file = store / FILE_NAME if store else None
    if file and file.is_file():
        try:
            values = tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{file} is not valid TOML: {error}", path=str(file)) from error
    for name, value in os.environ.items():
        section, mark, key = name.removeprefix(_PREFIX).lower().partition("__")
        if name.startswith(_PREFIX) and mark:
            values.setdefault(section, {})[key] = value
    for name, value in (overrides or {}).items():
        _merge(values, name.split("."), value)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UsageError(f"setting `{key}`: {first['msg'].lower()}", key=key) from error


def _merge(values: dict[str, Any], path: list[str], value: Any) -> None:
    *folders, last = path
    for folder in folders:
        values = values.setdefault(folder, {})
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _merge(values.setdefault(last, {}), [name], inner)
    else:
        values[last] = value


def home() -> Path:
    """Where stores of repositories lie: `GRAPHMEM_HOME`, else the user's data directory."""
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_data_path("graphmem")
