"""The table of sources for `ingest`: each converts a target to event drafts and counts skipped input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from graphmem import gitprocess
from graphmem.errors import NotFound, UsageError
from graphmem.extract import documents, git, terminal, testruns
from graphmem.extract.reading import Reading
from graphmem.model.events import Draft, Event
from graphmem.model.sources import Commit
from graphmem.privacy import hollowed_parts

Options = Mapping[str, Any]


_NO_PATCH = "patches of commits, because this partial clone lacks their files"


class Source(NamedTuple):
    """The reader function of a source, and its option names."""

    read: Callable[[Path, Reading, Options], Iterator[Draft]]
    options: tuple[str, ...] = ()


def read_git(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield commits of the repository that contains `target`, oldest first; known commits are skipped."""
    repository, _ = git.find_repository(target)
    heads = [event.payload["head"] for event in reading.log.read(types=["source_ingested"])
             if is_history(event) and event.payload["target"] == str(repository)]  # fmt: skip
    last = heads[-1] if heads else ""
    head, total = git.head_commit(repository), git.count_commits(repository)
    reading.report.known += git.count_commits(repository, upto=last) if last else 0
    if head in heads:  # also of another branch, whose commits were all read then
        return
    emails = _own_emails(repository)
    for done, commit in enumerate(git.read_commits(repository, known=last, patch_bytes=reading.patch_bytes), 1):
        if commit.lacks_patch:
            reading.report.skip(_NO_PATCH)
        yield _commit_draft(commit, reading.project, strict=reading.strict, own=commit.email.lower() in emails)
        reading.progress(done, total)
    payload = {"source": "git", "target": str(repository), "head": head}
    yield Draft("source_ingested", payload, reading.clock.now(), "", reading.project, "git", f"git:{repository}:{head}")


def is_history(event: Event) -> bool:
    """Return whether an event says up to which commit this machine read the history of a repository; what another machine
    read is not here, though its repository may have the same path."""
    return event.payload.get("source") == "git" and not event.foreign


def _own_emails(repository: Path) -> set[str]:
    """Return the e-mail addresses of this user from global git settings; those of a repository may belong to others."""
    told = gitprocess.run(repository, "config", "--global", "--get-all", "user.email", check=False)
    return {line.strip().lower() for line in told.decode("utf-8", "replace").splitlines()} - {""}


def _commit_draft(commit: Commit, project: str, *, strict: bool, own: bool = False) -> Draft:
    subject, body = hollowed_parts([commit.subject, commit.body], strict=strict)
    payload = {
        "hash": commit.hash,
        "parents": commit.parents,
        "author": commit.author,
        "email": commit.email,
        "committed_at": commit.committed_at,
        "subject": subject,
        "body": body,
        "patch": commit.patch,
        "files": [
            {
                "path": file.path,
                "kind": file.kind,
                "previous": file.previous,
                "additions": file.additions,
                "deletions": file.deletions,
                "hunks": [list(hunk) for hunk in file.hunks],
            }
            for file in commit.files
        ],
    }
    if commit.odd_dates:
        payload["odd_dates"] = True
    if own:
        payload["own"] = True
    return Draft("commit_observed", payload, commit.authored_at, "", project, commit.author, f"commit:{commit.hash}")


def read_sessions(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield chats of coding agents in a file or folder. Options: `program` (default: detect each file), `root` (only
    sessions in this repository), `limit` (turns per session). Raises UsageError for an unknown program."""
    from graphmem.extract.chats.drafts import read_chats

    return read_chats(target, reading, options)


def read_documents(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield sections of Markdown and text documents in a file or folder; unchanged files are skipped."""
    return documents.read_prose(documents.find_documents(target, reading.report.skip), target, reading)


def read_terminal(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield snapshots of failures in terminal logs."""
    return terminal.read_terminal(terminal.find_logs(target), reading, options)


def read_tests(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield test runs, with coverage."""
    return testruns.read_tests(testruns.find_reports(target), reading, options)


def read_files(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield everything in a folder, each file by the source of its kind."""
    from graphmem.extract.files import read_mixed

    return read_mixed(target, reading, options)


SOURCES: dict[str, Source] = {
    "git": Source(read_git),
    "sessions": Source(read_sessions, ("program", "root", "limit")),
    "documents": Source(read_documents),
    "terminal": Source(read_terminal, ("command", "exit_code", "session")),
    "tests": Source(read_tests, ("commit", "session")),
    "files": Source(read_files, ("root", "limit", "command", "exit_code", "commit", "session")),
}


def find_source(name: str, options: Options) -> Source:
    """Return a source by name. Raises UsageError for an unknown source or option, with the valid ones."""
    if name not in SOURCES:
        raise UsageError(f"there is no source `{name}`: choose one of {', '.join(SOURCES)}", source=name)
    known = SOURCES[name].options
    for option in sorted(options.keys() - set(known)):
        raise UsageError(f"`{name}` has no option `{option}`; it has {', '.join(known) or 'none'}", option=option)
    return SOURCES[name]


def existing_target(target: Path) -> Path:
    """Return the target. Raises NotFound if it does not exist."""
    if not target.exists():
        raise NotFound(f"{target} does not exist", path=str(target))
    return target
