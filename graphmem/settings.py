"""All settings, read and validated once. Only this module reads environment variables and the settings file; other modules
get a `Settings`. Unknown keys are rejected. Secrets come from environment variables only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import UsageError
from graphmem.owntypes import Types, types_of
from graphmem.settings_consent import drop_unchosen, note_choice
from graphmem.settings_file import FILE_NAME, read_values, with_line

APPROVAL = "approval.required"
_PREFIX = "GRAPHMEM_"
_REMOVED = {"ingest.file_bytes"}  # settings of older versions, ignored in files
_RENAMED = {
    "buffer.most": "buffer.max_pending",
    "owner.poll_most_s": "owner.max_poll_s",
}  # also accepted by the old name
_TRUTH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def _number(least: float, default: Any, help: str) -> Any:
    """Declare a number with a lower bound."""
    return field(default=default, metadata={"least": least, "help": help})


def _choice(*choices: str, help: str) -> Any:
    """Declare a choice; the first one is the default."""
    return field(default=choices[0], metadata={"choices": choices, "help": help})


def _scalar(default: Any, help: str) -> Any:
    """Declare a string or a boolean."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph engine, and limits for one Cypher query."""

    engine: str = _choice(
        "kuzu", "ladybug", "bolt", "sqlite",
        help="The engine that stores the graph of new stores; `graphmem move --engine` changes that of a store. `ladybug` and"
        " `bolt` need the extras of these names. `sqlite` needs nothing, and answers simple Cypher only.",
    )  # fmt: skip
    url: str = _scalar(
        "",
        "URL of the graph server for the engine `bolt`, as in `bolt+s://graph.example?database=crane`: a database for this store"
        " alone. User and password are `NEO4J_USERNAME` and `NEO4J_PASSWORD` of the environment.",
    )
    buffer_pool_mb: int = _number(
        64, 2_048, "Maximum memory of the graph engine, in MB. Only batches of long texts need much of it."
    )
    query_timeout_s: float = _number(0.001, 30.0, "Maximum run time of a query, in seconds.")
    query_rows: int = _number(1, 10_000, "Maximum number of rows in a result; `--limit` overrides it.")
    query_memory_mb: int = _number(64, 512, "Maximum memory of a query, in MB, in addition to that of the open graph.")
    query_result_mb: int = _number(1, 16, "Maximum size of a result, in MB.")


@dataclass(frozen=True, slots=True)
class Log:
    """Where the event log is: in the store (`log.db`), or on a PostgreSQL server, for teams."""

    url: str = _scalar(
        "",
        "URL of the log on a PostgreSQL server, as in `postgresql://db.example/team?schema=crane`; needs the extra"
        " `postgresql`. Empty: in the store. `graphmem move --log` moves a log.",
    )


@dataclass(frozen=True, slots=True)
class Embedding:
    """The encoder, which converts text to vectors. API keys come from environment variables."""

    provider: str = _choice(
        "wordllama", "none", "e5", "onnx", "fastembed", "sentence-transformers", "openai",
        help="The encoder. `e5` needs the extra `quality`; `none` searches without vectors; `openai` is any compatible server.",
    )  # fmt: skip
    model: str = _scalar("", "Name of the model, or path of an ONNX file.")
    tokenizer: str = _scalar("", "Path of the `tokenizer.json` of an ONNX model.")
    url: str = _scalar(
        "https://api.openai.com/v1", "URL of an OpenAI-compatible server; the API key is `OPENAI_API_KEY`."
    )
    dimensions: int = _number(0, 0, "Dimensions to request from such a server; 0 uses the default of the model.")
    batch: int = _number(1, 512, "Number of texts encoded in one batch.")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A reranker, which scores the best hits of a search again, each together with the query."""

    reranker: str = _choice("none", "http", "onnx", "fastembed", "sentence-transformers", help="The reranker.")
    reranker_model: str = _scalar("", "Name or folder of the model, or path of an ONNX file.")
    reranker_tokenizer: str = _scalar("", "Path of the `tokenizer.json` of an ONNX model.")
    reranker_url: str = _scalar(
        "", "URL of a server with a Cohere-compatible `POST /rerank`; the API key is `RERANKER_API_KEY`."
    )
    reranker_timeout_s: float = _number(
        0.01, 3.0, "Timeout in seconds; after it, the search continues without the reranker."
    )
    reranked: int = _number(2, 30, "Number of hits to rerank.")


@dataclass(frozen=True, slots=True)
class Ingest:
    """Limits for input from files and repositories."""

    patch_bytes: int = _number(0, 20_000, "Maximum stored bytes of a commit's patch.")


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner: the background process that holds the graph of a store."""

    idle_s: float = _number(0.001, 300.0, "Seconds without clients after which the owner exits.")
    poll_s: float = _number(0.001, 0.2, "Polling interval of the log while events arrive, in seconds.")
    max_poll_s: float = _number(0.001, 2.0, "Polling interval of the log while idle, in seconds.")


@dataclass(frozen=True, slots=True)
class Buffer:
    """When the owner processes recorded turns: when the window is full, when its oldest turn has waited for `flush_s`, or
    when no turn has arrived for `idle_s`."""

    window: int = _number(1, 10, "Number of turns in a full window.")
    overlap: int = _number(0, 2, "Number of earlier turns that a language model gets as context.")
    flush_s: float = _number(0, 3.0, "Maximum waiting time of a turn, in seconds.")
    idle_s: float = _number(0, 10.0, "Seconds without a new turn after which the window is processed.")
    retries: int = _number(0, 3, "Number of retries when a step fails on an event.")
    max_pending: int = _number(100, 20_000, "Number of pending events above which reading a source pauses.")


@dataclass(frozen=True, slots=True)
class Model:
    """An optional language model that phrases facts better than the rules. API keys come from environment variables
    (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`)."""

    provider: str = _choice("none", "openai", "anthropic", "ollama", help="The type of server.")
    name: str = _scalar("", "Name of the model.")
    url: str = _scalar("", "URL of the server, if it is not the provider's default.")
    tokens_a_day: int = _number(0, 200_000, "Hard limit of tokens per day, checked before each call.")
    tokens_a_call: int = _number(50, 2_000, "Maximum tokens of one call.")
    timeout_s: float = _number(0.1, 60.0, "Timeout of a call, in seconds.")
    price_in: float = _number(0, 0.0, "Dollars per million input tokens, for cost reports.")
    price_out: float = _number(0, 0.0, "Dollars per million output tokens, for cost reports.")


@dataclass(frozen=True, slots=True)
class Privacy:
    """What is removed before data is stored."""

    strict: bool = _scalar(
        False, "Hide everything after a `<private>` tag that is never closed, even if prose only mentions it."
    )
    anonymize: bool = _scalar(False, "Hide e-mail addresses and user names.")


@dataclass(frozen=True, slots=True)
class Approval:
    """Whether a person approves what is learnt before agents are shown it."""

    required: bool = _scalar(
        False,
        "Let what is learnt from now on wait for a person: it is neither injected nor found by default until it is approved"
        " (`graphmem approvals`, or the review page). What is known already, and what you save yourself, does not wait.",
    )


@dataclass(frozen=True, slots=True)
class Capture:
    """What hooks ask of the coding agent."""

    ask: bool = _scalar(
        False,
        "Ask the coding agent, once a session after a commit or a compaction, for at most seven memories that it can prove "
        "with a quote.",
    )


@dataclass(frozen=True, slots=True)
class Shared:
    """The store that all your projects share."""

    enabled: bool = _scalar(False, "Let hooks also inject verified fixes from your other projects.")


@dataclass(frozen=True, slots=True)
class Server:
    """The shared server (`graphmem serve --shared FOLDER`). Set these in its folder, with `graphmem config --store FOLDER`, or in
    the environment."""

    url: str = _scalar(
        "", "The address that clients use, such as `https://memory.example`, if a proxy or container is in between."
    )
    visibility: str = _choice(
        "private", "team", help="Who sees a memory for which nothing was chosen: its author, or the team."
    )
    log_url: str = _scalar(
        "",
        "URL of a PostgreSQL database for the logs of new stores: each gets a schema of its own. Empty: in the folder.",
    )
    open_stores: int = _number(
        2, 32, "Number of stores that are open at a time; those not used for longest are closed."
    )
    requests_per_minute: int = _number(0, 1_200, "Requests of an account in a minute; 0 for no limit.")
    writes_per_minute: int = _number(0, 300, "Writing calls of an account in a minute; 0 for no limit.")
    concurrent_requests: int = _number(
        0, 8, "Requests of an account that run at a time; more wait, and take no part from others. 0 for no limit."
    )
    logins_per_minute: int = _number(1, 10, "Failed logins and unknown tokens from an address in a minute.")
    quota_events: int = _number(0, 1_000_000, "Events that an account may write to a project; 0 for no limit.")
    quota_mb: int = _number(0, 2_048, "Text that an account may write to a project, in MB; 0 for no limit.")
    oidc_issuer: str = _scalar("", "URL of an OpenID Connect provider with which users log in. Empty: tokens only.")
    oidc_client: str = _scalar("", "Id of this server at the provider; the secret is `GRAPHMEM_OIDC_SECRET`.")
    oidc_claim: str = _scalar("email", "Claim of the provider that `graphmem users link` connects to an account.")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a store. The defaults work offline."""

    graph: Graph = Graph()
    log: Log = Log()
    embedding: Embedding = Embedding()
    retrieval: Retrieval = Retrieval()
    ingest: Ingest = Ingest()
    owner: Owner = Owner()
    privacy: Privacy = Privacy()
    buffer: Buffer = Buffer()
    model: Model = Model()
    approval: Approval = Approval()
    capture: Capture = Capture()
    shared: Shared = Shared()
    server: Server = Server()
    types: Types = Types()  # noqa: RUF009 (it is frozen)


def load_settings(
    store: Path | None = None, overrides: Mapping[str, Any] | None = None, *, only_saved: bool = False
) -> Settings:
    """Return the settings of a store. Later sources override earlier ones: `settings.toml`, environment variables
    `GRAPHMEM_SECTION__KEY`, `overrides` (nested, or with dotted keys). What in the file sends text away applies only if the
    user chose it (`find_unchosen`). With `only_saved`, environment variables do not count. Raises UsageError that names the
    invalid key, and the line of the file that sets it."""
    values, changes = _file_values(store), dict[str, Any]()
    drop_unchosen(values, stores_home())
    for name, value in () if only_saved else os.environ.items():
        section, mark, key = name.removeprefix(_PREFIX).lower().partition("__")
        if name.startswith(_PREFIX) and mark:
            changes[f"{section}.{key}"] = value
    changes |= overrides or {}
    try:
        return _parse(values, changes)
    except UsageError as error:
        if store is None or error.data.get("key") in changes:
            raise
        raise with_line(error, store / FILE_NAME) from None


def _parse(values: dict[str, Any], changes: Mapping[str, Any]) -> Settings:
    """Return the settings of a file with changes (nested, or with dotted keys)."""
    for name, value in changes.items():
        _set_nested(values, name.split("."), value)
    types = types_of(values.pop("types", {}))
    sections = {section.name: _load_section(section, values.pop(section.name, {})) for section in fields(Settings)
                if section.name != "types"}  # fmt: skip
    return Settings(**sections, types=types, **_reject_unknown(values))


def find_unchosen(store: Path) -> tuple[str, ...]:
    """Return the keys in the file of a store that do not apply, because the user has not set them on this machine."""
    return drop_unchosen(_file_values(store), stores_home())


def _file_values(store: Path | None) -> dict[str, Any]:
    values = read_values(store / FILE_NAME) if store else {}
    return {name: _with_new_names(name, one) if isinstance(one, dict) else one for name, one in values.items()}


class SettingEntry(NamedTuple):
    """One setting. `kind` is "text", "number", "whole" (integer) or "truth" (boolean). `choices` are the allowed values,
    `least` is the lower bound, `help` says what it is for."""

    key: str
    value: Any
    default: Any
    kind: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    help: str = ""


def list_entries(settings: Settings) -> list[SettingEntry]:
    """Return every setting with a single value, in order. Tables are edited in the file."""
    kinds: dict[type, str] = {bool: "truth", int: "whole", float: "number", str: "text"}
    return [
        SettingEntry(
            f"{section.name}.{entry.name}", getattr(getattr(settings, section.name), entry.name), entry.default,
            kinds[type(entry.default)], entry.metadata.get("choices", ()), entry.metadata.get("least"),
            entry.metadata.get("help", ""),
        )
        for section in fields(Settings)
        for entry in fields(section.type if isinstance(section.type, type) else type(section.default))
        if type(entry.default) in kinds
    ]  # fmt: skip


def save_settings(store: Path, changes: Mapping[str, Any]) -> Settings:
    """Write settings (dotted key -> value) to the store's file and return all resulting settings. None removes a setting.
    Comments and order of the file are kept. Raises UsageError that names an invalid key; the file is then unchanged."""
    import tomlkit

    changes = {_RENAMED.get(key, key): value for key, value in changes.items()}
    known = {entry.key for entry in list_entries(Settings())}
    _reject_unknown({key: None for key in changes if key not in known})
    load_settings(store, {key: value for key, value in changes.items() if value is not None})
    file = store / FILE_NAME
    document = tomlkit.parse(file.read_text("utf-8")) if file.is_file() else tomlkit.document()
    for key, value in changes.items():
        section, _, name = key.partition(".")
        for old in (old for old, new in _RENAMED.items() if new == key):
            document.get(section, {}).pop(old.partition(".")[2], None)
        if value is None:
            document.get(section, {}).pop(name, None)
        else:
            document.setdefault(section, tomlkit.table())[name] = value
    fresh = file.with_suffix(".new")
    fresh.write_text(tomlkit.dumps(document), "utf-8")
    note_choice(changes, stores_home())
    fresh.replace(file)
    return load_settings(store)


def _load_section(section: Any, values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise UsageError(f"setting `{section.name}`: expected a table of settings", key=section.name)
    values = _with_new_names(section.name, values)
    left = {name: value for name, value in values.items() if f"{section.name}.{name}" not in _REMOVED}
    known = {
        entry.name: _parse_value(f"{section.name}.{entry.name}", entry, left.pop(entry.name))
        for entry in fields(section.default)
        if entry.name in left
    }
    return type(section.default)(**known, **_reject_unknown(left, f"{section.name}."))


def _with_new_names(section: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a section, those of renamed settings under their new names."""
    return {_RENAMED.get(f"{section}.{name}", f"{section}.{name}").partition(".")[2]: values[name] for name in values}


def _reject_unknown(unknown: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    for name in unknown:
        raise UsageError(f"setting `{prefix}{name}`: unknown setting; `graphmem config` lists all", key=prefix + name)
    return {}


def _parse_value(key: str, entry: Any, value: Any) -> Any:
    """Return the value in its type, as given or parsed from an environment variable."""
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
            raise UsageError(f"setting `{key}`: must be a string", key=key)
        return value
    try:
        number = None if isinstance(value, bool) else kind(value)
    except (TypeError, ValueError):
        number = None
    if number is None or (not isinstance(value, str) and number != value):
        raise UsageError(f"setting `{key}`: must be {'an integer' if kind is int else 'a number'}", key=key)
    if not number >= entry.metadata["least"]:
        raise UsageError(f"setting `{key}`: must be at least {entry.metadata['least']:g}", key=key)
    return number


def _set_nested(values: dict[str, Any], path: list[str], value: Any) -> None:
    *folders, last = path
    for folder in folders:
        values = values.setdefault(folder, {})
        if not isinstance(values, dict):
            raise UsageError(f"setting `{folder}`: expected a table of settings", key=folder)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _set_nested(values.setdefault(last, {}), [name], inner)
    else:
        values[last] = value


def stores_home() -> Path:
    """Return the folder of all stores: `GRAPHMEM_HOME`, or the user's data directory."""
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_data_path("graphmem")


def shared_store() -> Path:
    """Return the folder of the store shared by all projects of the user."""
    return stores_home() / "shared"


def read_secret(name: str) -> str:
    """Return a secret from an environment variable, or "" if it is not set. Secrets are never read from files."""
    return os.environ.get(name, "")
