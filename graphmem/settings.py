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


def _from(least: float, default: Any, help: str) -> Any:
    """A number of at least `least`."""
    return field(default=default, metadata={"least": least, "help": help})


def _one_of(*choices: str, help: str) -> Any:
    """One of these words; the first is the default."""
    return field(default=choices[0], metadata={"choices": choices, "help": help})


def _plain(default: Any, help: str) -> Any:
    """A text, or true or false."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph engine, and the limits of one Cypher query from outside."""

    engine: str = _one_of("kuzu", help="The engine that stores the graph.")
    buffer_pool_mb: int = _from(
        64, 2_048, "Most memory of the graph engine, in MB. Only batches of long texts need much of it."
    )
    query_timeout_s: float = _from(0.001, 30.0, "Seconds that a query may run.")
    query_rows: int = _from(1, 10_000, "Most rows of an answer; `--limit` overrides it.")
    query_memory_mb: int = _from(64, 512, "Most memory of a query, in MB, in addition to that of the open graph.")
    query_result_mb: int = _from(1, 16, "Largest answer, in MB.")


@dataclass(frozen=True, slots=True)
class Embedding:
    """The text encoder, which turns texts into vectors. Keys of servers come from the environment."""

    provider: str = _one_of(
        "wordllama", "none", "e5", "onnx", "fastembed", "sentence-transformers", "openai",
        help="The encoder. `e5` needs the extra `quality`; `none` searches without vectors; `openai` is any compatible server.",
    )  # fmt: skip
    model: str = _plain("", "Name of the model, or the file of an ONNX model.")
    tokenizer: str = _plain("", "The `tokenizer.json` of an ONNX model.")
    url: str = _plain(
        "https://api.openai.com/v1", "Address of an OpenAI-compatible server; the key is `OPENAI_API_KEY`."
    )
    dimensions: int = _from(0, 0, "Dimensions to ask such a server for; 0 takes what the model gives.")
    batch: int = _from(1, 512, "Texts that are encoded at once.")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A reranker, which reads the best hits of a search again, together with the question."""

    reranker: str = _one_of("none", "http", "onnx", "fastembed", "sentence-transformers", help="What reranks.")
    reranker_model: str = _plain("", "Name of the model, its folder, or the file of an ONNX model.")
    reranker_tokenizer: str = _plain("", "The `tokenizer.json` of an ONNX model.")
    reranker_url: str = _plain(
        "", "A server that answers `POST /rerank` as Cohere does; the key is `RERANKER_API_KEY`."
    )
    reranker_timeout_s: float = _from(0.01, 3.0, "Seconds after which the search goes on without it.")
    reranked: int = _from(2, 30, "Number of hits that it reads.")


@dataclass(frozen=True, slots=True)
class Ingest:
    """Limits of what is read from files and repositories."""

    patch_bytes: int = _from(0, 20_000, "Bytes of a commit's patch that are kept.")
    file_bytes: int = _from(1_000, 1_000_000, "Accepted in older files; has no effect.")


@dataclass(frozen=True, slots=True)
class Owner:
    """The background process that owns the graph of a store."""

    idle_s: float = _from(0.001, 300.0, "Seconds without clients after which it exits.")
    poll_s: float = _from(0.001, 0.2, "Seconds between looks at the log while events arrive.")
    poll_most_s: float = _from(0.001, 2.0, "Seconds between looks at the log while nothing happens.")


@dataclass(frozen=True, slots=True)
class Buffer:
    """When the owner derives knowledge from recorded turns: when the window is full, when its oldest turn has waited for
    `flush_s`, or when nothing has arrived for `idle_s`."""

    window: int = _from(1, 10, "Turns in a full window.")
    overlap: int = _from(0, 2, "Earlier turns that a language model reads in addition, for context.")
    flush_s: float = _from(0, 3.0, "Longest wait of a turn, in seconds.")
    idle_s: float = _from(0, 10.0, "Seconds without a new turn after which the window is processed.")
    retries: int = _from(0, 3, "Further attempts of a step that failed on an event.")
    most: int = _from(100, 20_000, "Waiting events above which reading a source pauses.")


@dataclass(frozen=True, slots=True)
class Model:
    """A language model that words facts better than rules do. By default none is asked. The key comes from the environment
    (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`)."""

    provider: str = _one_of("none", "openai", "anthropic", "ollama", help="The kind of server.")
    name: str = _plain("", "Name of the model.")
    url: str = _plain("", "Address of the server, where it is not the provider's own.")
    tokens_a_day: int = _from(0, 200_000, "Hard limit of tokens a day, checked before each call.")
    tokens_a_call: int = _from(50, 2_000, "Most tokens of one call.")
    timeout_s: float = _from(0.1, 60.0, "Seconds after which a call fails.")
    price_in: float = _from(0, 0.0, "Dollars for a million tokens read, for the report of costs.")
    price_out: float = _from(0, 0.0, "Dollars for a million tokens written, for the report of costs.")


@dataclass(frozen=True, slots=True)
class Privacy:
    """What is removed before anything is stored."""

    strict: bool = _plain(
        False, "Hide everything after a `<private>` tag that is never closed, even one that is only mentioned."
    )
    anonymize: bool = _plain(False, "Hide e-mail addresses and names of users.")


@dataclass(frozen=True, slots=True)
class Shared:
    """The store that all your projects share."""

    enabled: bool = _plain(False, "Answer prompts also from verified fixes of your other projects.")


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
    """One setting. `kind` is "text", "number", "whole" or "truth"; `choices` are the only values it takes, `least` is its
    lower bound."""

    key: str
    value: Any
    default: Any
    kind: str
    choices: tuple[str, ...] = ()
    least: float | None = None


def list_entries(settings: Settings) -> list[SettingEntry]:
    """Return every setting that is one value, in order; tables are edited in the file."""
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
    """Write settings with dotted keys to the store's file, whose comments and order stay; None removes a setting. Return all
    settings as they are then. Raises UsageError that names a wrong key; the file is then unchanged."""
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
    """Return the folder that holds the stores of repositories: `GRAPHMEM_HOME`, else the user's data directory."""
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_data_path("graphmem")


def shared_store() -> Path:
    """Return the folder of the store that all projects of the user share."""
    return stores_home() / "shared"


def read_secret(name: str) -> str:
    """A secret from the environment, "" where it is not set. Secrets are never read from files."""
    return os.environ.get(name, "")
