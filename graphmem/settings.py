"""All settings, validated once. The only reader of environment variables and of TOML files; everyone else gets a
`Settings`. Unknown keys are refused; secrets come from the environment alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import UsageError
from graphmem.owntypes import Types, types_of

FILE_NAME = "settings.toml"
_PREFIX = "GRAPHMEM_"
_TRUTH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def _from(least: float, default: Any) -> Any:
    """A number of at least so much."""
    return field(default=default, metadata={"least": least})


def _one_of(*choices: str) -> Any:
    """One of these words; the first is the default."""
    return field(default=choices[0], metadata={"choices": choices})


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph engine, and what one Cypher query from outside may take: seconds, rows, megabytes of memory beside those of
    the graph, megabytes of its answer."""

    engine: str = _one_of("kuzu")
    buffer_pool_mb: int = _from(64, 2_048)  # what it may take; a batch of long texts needs much, daily use little
    query_timeout_s: float = _from(0.001, 30.0)
    query_rows: int = _from(1, 10_000)
    query_memory_mb: int = _from(64, 512)
    query_result_mb: int = _from(1, 16)


@dataclass(frozen=True, slots=True)
class Embedding:
    """The text encoder (REQUIREMENTS 6): "e5" is that of the extra `quality`. `model` names a model, or the file of an
    ONNX one (then `tokenizer` its tokenizer.json); `url` and `dimensions` are for an OpenAI-compatible server, whose key
    comes from the environment."""

    provider: str = _one_of("wordllama", "none", "e5", "onnx", "fastembed", "sentence-transformers", "openai")
    model: str = ""
    tokenizer: str = ""
    url: str = "https://api.openai.com/v1"
    dimensions: int = _from(0, 0)
    batch: int = _from(1, 512)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What reads the best hits once more, together with the question. `reranker_model` names a model, its folder, or the
    file of an ONNX one (then `reranker_tokenizer` its tokenizer.json); `reranker_url` is a server that answers
    `POST …/rerank` as Cohere does, whose key comes from the environment (RERANKER_API_KEY). It reads `reranked` hits."""

    reranker: str = _one_of("none", "http", "onnx", "fastembed", "sentence-transformers")
    reranker_model: str = ""
    reranker_tokenizer: str = ""
    reranker_url: str = ""
    reranker_timeout_s: float = _from(0.01, 3.0)
    reranked: int = _from(2, 30)


@dataclass(frozen=True, slots=True)
class Ingest:
    """Limits of the sources."""

    patch_bytes: int = _from(0, 20_000)
    file_bytes: int = _from(1_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Owner:
    """The background process that owns the graph. Times in seconds."""

    idle_s: float = _from(0.001, 300.0)
    poll_s: float = _from(0.001, 0.2)
    poll_most_s: float = _from(0.001, 2.0)


@dataclass(frozen=True, slots=True)
class Buffer:
    """When the owner derives knowledge from what was recorded (REQUIREMENTS 21): once `window` turns wait, the oldest of
    them waits for `flush_s`, or nothing came for `idle_s`; a model reads a window with `overlap` turns before it. A step
    that fails on an event is tried again `retries` times; while more than `most` events wait, reading a source waits."""

    window: int = _from(1, 10)
    overlap: int = _from(0, 2)
    flush_s: float = _from(0, 3.0)
    idle_s: float = _from(0, 10.0)
    retries: int = _from(0, 3)
    most: int = _from(100, 20_000)


@dataclass(frozen=True, slots=True)
class Model:
    """A language model that words facts better than rules do; by default none is asked. The key comes from the
    environment (OPENAI_API_KEY, ANTHROPIC_API_KEY). `tokens_a_day` is a hard budget, checked before each call; prices
    are in dollars for a million tokens."""

    provider: str = _one_of("none", "openai", "anthropic", "ollama")
    name: str = ""
    url: str = ""
    tokens_a_day: int = _from(0, 200_000)
    tokens_a_call: int = _from(50, 2_000)
    timeout_s: float = _from(0.1, 60.0)
    price_in: float = _from(0, 0.0)
    price_out: float = _from(0, 0.0)


@dataclass(frozen=True, slots=True)
class Privacy:
    """What is hidden before anything is stored (REQUIREMENTS 10)."""

    strict: bool = False
    anonymize: bool = False


@dataclass(frozen=True, slots=True)
class Shared:
    """The store of all projects (REQUIREMENTS 18): whether prompts are also answered from the troubles of other projects."""

    enabled: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set; the defaults work offline."""

    graph: Graph = Graph()
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    ingest: Ingest = Ingest()
    owner: Owner = Owner()
    privacy: Privacy = Privacy()
    buffer: Buffer = Buffer()
    model: Model = Model()
    shared: Shared = Shared()
    types: Types = Types()  # noqa: RUF009 (it is frozen)


def load_settings(store: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Settings of a store: its `settings.toml`, then `GRAPHMEM_SECTION__KEY` variables, then `overrides`
    (nested, or with dotted keys). Raises UsageError that names the key which is wrong."""
    values: dict[str, Any] = {}
    file = store / FILE_NAME if store else None
    if file and file.is_file():
        import tomllib

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
    types = types_of(values.pop("types", {}))
    sections = {section.name: _section(section, values.pop(section.name, {})) for section in fields(Settings)
                if section.name != "types"}  # fmt: skip
    return Settings(**sections, types=types, **_refused(values))


class SettingEntry(NamedTuple):
    """One setting as people change it. `kind` is "text", "number", "whole" or "truth"; `choices` where only these will
    do, `least` where there is a bound."""

    key: str
    value: Any
    default: Any
    kind: str
    choices: tuple[str, ...] = ()
    least: float | None = None


def list_entries(settings: Settings) -> list[SettingEntry]:
    """Every setting of one value, in order; tables are edited in the file."""
    kinds: dict[type, str] = {bool: "truth", int: "whole", float: "number", str: "text"}
    return [
        SettingEntry(
            f"{section.name}.{entry.name}", getattr(getattr(settings, section.name), entry.name), entry.default,
            kinds[type(entry.default)], entry.metadata.get("choices", ()), entry.metadata.get("least"),
        )
        for section in fields(Settings)
        for entry in fields(section.type if isinstance(section.type, type) else type(section.default))
        if type(entry.default) in kinds
    ]  # fmt: skip


def save_settings(store: Path, changes: Mapping[str, Any]) -> Settings:
    """Write settings with dotted keys to the store's file, whose comments and order stay; None takes one out. Returns what
    then holds. Raises UsageError that names a wrong key, and then the file is as it was."""
    import tomlkit

    known = {entry.key for entry in list_entries(Settings())}
    _refused({key: None for key in changes if key not in known})
    load_settings(store, {key: value for key, value in changes.items() if value is not None})
    file = store / FILE_NAME
    document = tomlkit.parse(file.read_text("utf-8")) if file.is_file() else tomlkit.document()
    for key, value in changes.items():
        section, _, name = key.partition(".")
        if value is None:
            document.get(section, {}).pop(name, None)
        else:
            document.setdefault(section, tomlkit.table())[name] = value
    fresh = file.with_suffix(".new")
    fresh.write_text(tomlkit.dumps(document), "utf-8")
    fresh.replace(file)
    return load_settings(store)


def _section(section: Any, values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise UsageError(f"setting `{section.name}`: must be a table of settings", key=section.name)
    left = dict(values)
    known = {
        entry.name: _value(f"{section.name}.{entry.name}", entry, left.pop(entry.name))
        for entry in fields(section.default)
        if entry.name in left
    }
    return type(section.default)(**known, **_refused(left, f"{section.name}."))


def _refused(unknown: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    for name in unknown:
        raise UsageError(f"setting `{prefix}{name}`: there is no such setting", key=prefix + name)
    return {}


def _value(key: str, entry: Any, value: Any) -> Any:
    """The value in its type: as given, or from the text of a variable."""
    kind = type(entry.default)
    if kind is bool:
        truth = value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
        if truth is None:
            raise UsageError(f"setting `{key}`: must be true or false", key=key)
        return truth
    if kind is str:
        choices = entry.metadata.get("choices")
        if choices and value not in choices:
            raise UsageError(f"setting `{key}`: must be one of {', '.join(choices)}", key=key)
        if not isinstance(value, str):
            raise UsageError(f"setting `{key}`: must be a text", key=key)
        return value
    try:
        number = None if isinstance(value, bool) else kind(value)
    except (TypeError, ValueError):
        number = None
    if number is None or (not isinstance(value, str) and number != value):
        raise UsageError(f"setting `{key}`: must be a {'whole ' * (kind is int)}number", key=key)
    if not number >= entry.metadata["least"]:
        raise UsageError(f"setting `{key}`: must be at least {entry.metadata['least']:g}", key=key)
    return number


def _merge(values: dict[str, Any], path: list[str], value: Any) -> None:
    *folders, last = path
    for folder in folders:
        values = values.setdefault(folder, {})
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _merge(values.setdefault(last, {}), [name], inner)
    else:
        values[last] = value


def stores_home() -> Path:
    """Where stores of repositories lie: `GRAPHMEM_HOME`, else the user's data directory."""
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_data_path("graphmem")


def shared_store() -> Path:
    """Where the store lies that all projects of the user share."""
    return stores_home() / "shared"


def read_secret(name: str) -> str:
    """A secret from the environment, "" where it is not set. Secrets are never read from files."""
    return os.environ.get(name, "")
