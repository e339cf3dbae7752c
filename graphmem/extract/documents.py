"""Reads documents (Markdown, reStructuredText, AsciiDoc, Org, plain text, manuals written as YAML, translations of pages) and
splits them at headings into sections that can be cited by file and line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.extract.catalogues import is_of_pages, read_catalogue
from graphmem.extract.git import last_changes
from graphmem.extract.headings import find_headings, is_yaml, said_in_yaml
from graphmem.extract.reading import Reading
from graphmem.foreignfiles import TOO_LARGE, TooLarge, read_file, walk_files
from graphmem.model.events import Draft
from graphmem.privacy import strip_private_sections

SUFFIXES = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".rdoc", ".org", ".po")
# Files without a suffix that tell something of a project, and folders in which YAML may be a manual.
_PLAIN = re.compile(
    r"readme|changes|change-?log|news|history|releases?|release[-_]?notes?|install|hacking|contributing|developing|building|upgrading"
    r"|migrati(?:on|ng)|usage|faq|todo|bugs|design|architecture|security|governance|notes",
    re.IGNORECASE,
)
_OF_MANUALS = frozenset({"doc", "docs", "documentation", "manual", "manuals", "guide", "guides"})
_FOREIGN = frozenset({"node_modules", "vendor", "venv", "site-packages", "target", "build", "dist", "__pycache__"})
_FORGES = frozenset({".github", ".gitlab", ".gitea", ".forgejo"})  # where projects keep their rules for contributors
_BLANK = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"(?:[.!?。:]|[다요])[\"')\]]*$")
_WITHOUT_TEXT = re.compile(r"\s*$|\.\. \S{0,99}:")  # a blank line, or a target or directive of reStructuredText
_FORMAT = 5  # of sections; documents that were cut in another way are read again
_MAX_SECTION = 4_000  # characters; longer sections are split at a blank line


class Section(NamedTuple):
    """A section of a document: its headings joined by " › ", text, and first line (from 1)."""

    title: str
    text: str
    line: int


def split_sections(text: str, name: str) -> Iterator[Section]:
    """Yield the non-empty sections of a document, in order; `name` is the title of text before the first heading. A heading
    without text of its own is only part of the titles below it."""
    if name.lower().endswith(".po"):
        yield from (Section(*found) for found in read_catalogue(text, _MAX_SECTION))
        return
    lines = text.splitlines()
    above: list[tuple[int, str]] = []
    first = below = 1  # line of a section, and line below its heading
    for heading in (*find_headings(lines, name), None):
        until = heading.first if heading else len(lines) + 1
        if not all(map(_WITHOUT_TEXT.match, lines[below - 1 : until - 1])):
            yield from _cut(" › ".join(title for _, title in above) or name, lines[first - 1 : until - 1], first)
        if heading:
            above = [*((depth, title) for depth, title in above if depth < heading.depth), heading[:2]]
            first, below = heading.first, heading.last + 1


def _cut(title: str, body: list[str], start: int) -> Iterator[Section]:
    """Split a long section."""
    part: list[str] = []
    size, first = 0, start
    for offset, line in enumerate(body):
        if size > _MAX_SECTION and not line.strip():
            yield Section(title, "\n".join(part).strip(), first)
            part, size, first = [], 0, start + offset + 1
        part.append(line)
        size += len(line) + 1
    if text := "\n".join(part).strip():
        yield Section(title, text, first)


def is_document(name: str) -> bool:
    """Return whether this is the file name of a document."""
    return name.lower().endswith(SUFFIXES) or bool(_PLAIN.fullmatch(name))


def is_prose(path: Path, text: str) -> bool:
    """Return whether a document is prose. Only `.txt` files and YAML are checked: word lists, requirements and data also use these
    suffixes, but contain few paragraphs that end like sentences. Of translations, those of pages are."""
    suffix = path.suffix.lower()
    if suffix == ".po":
        return is_of_pages(text)
    if is_yaml(suffix):
        said = said_in_yaml(text)
        return 3 * len(said) > len(text) and _has_sentences(said)
    return suffix != ".txt" or path.stem.lower().startswith("readme") or _has_sentences(text)


def _has_sentences(text: str) -> bool:
    paragraphs = [part.strip() for part in _BLANK.split(text) if part.strip()]
    sentences = sum(len(part) for part in paragraphs if _SENTENCE_END.search(part))
    return sentences * 4 >= sum(map(len, paragraphs))


def find_documents(target: Path, skip: Callable[[str], object] = lambda reason: None) -> list[Path]:
    """Return the documents in a folder, or the single file; hidden folders, except those of forges such as `.github`, and
    installed packages are skipped. `skip` is called for links out of the folder."""
    if target.is_file():
        return [target]
    found = walk_files(
        target, wanted=_may_tell, entered=lambda folder: is_visible(folder) and folder not in _FOREIGN, skip=skip
    )
    return [
        path for path in found if is_document(path.name) or not _OF_MANUALS.isdisjoint(path.relative_to(target).parts)
    ]


def _may_tell(name: str) -> bool:
    return is_document(name) or is_yaml(name)


def is_visible(folder: str) -> bool:
    """Return whether a folder of this name is read: it is not hidden, or belongs to a forge."""
    return not folder.startswith(".") or folder in _FORGES


def read_prose(paths: Sequence[Path], target: Path, reading: Reading) -> Iterator[Draft]:
    """Yield drafts of documents, cut into sections; unchanged files are skipped."""
    known = {
        event.payload["path"]: event.payload
        for event in reading.log.read(types=["document_observed"])
        if event.project == reading.project
    }
    folder = target if target.is_dir() else target.parent
    changes = cache(lambda: last_changes(folder, is_document))
    for done, path in enumerate(filter(Path.is_file, paths), 1):
        draft = _document_draft(path, target, known, reading, changes)
        if draft:
            yield draft
        reading.progress(done, len(paths))


def _document_draft(
    path: Path,
    target: Path,
    known: dict[str, dict[str, Any]],
    reading: Reading,
    changes: Callable[[], Mapping[str, int]],
) -> Draft | None:
    """Return the draft of a document, dated by its last change: the commit of it, or the file's own time if it was edited since.
    None if it is known, or not read."""
    name = path.relative_to(target if target.is_dir() else target.parent).as_posix()
    before = known.get(name, {})
    try:
        data = read_file(path, follow=True)
    except OSError as error:
        reading.report.skip(TOO_LARGE if isinstance(error, TooLarge) else "unreadable file")
        reading.report.errors.append(f"{path}: {error.strerror}")
        return None
    if b"\0" in data[:8_000]:
        reading.report.skip("binary file")
        return None
    digest = hashlib.sha256(data).hexdigest()
    if before.get("digest") == digest and before.get("format", 1) == _FORMAT:
        reading.report.known += 1
        return None
    text = data.decode("utf-8", "replace")
    if path != target and not is_prose(path, text):
        reading.report.skip("list or data")
        return None
    whole = strip_private_sections(text, strict=reading.strict)
    sections = [list(section) for section in split_sections(whole, name)]
    payload = {"path": name, "digest": digest, "sections": sections, "format": _FORMAT}
    payload["replaced"] = len(before.get("sections", ()))
    at = changes().get(name) or path.stat().st_mtime_ns // 1000
    return Draft(
        "document_observed",
        payload,
        at,
        "",
        reading.project,
        "",
        f"document:{reading.project}:{name}:{digest}:{_FORMAT}",
    )
