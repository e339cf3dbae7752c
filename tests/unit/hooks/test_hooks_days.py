"""Days of work with an agent, through the real hooks: what later sessions are told of values, rules and decisions, and what not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import Repository

from graphmem import settings
from graphmem.hooks.respond import respond
from graphmem.memory import Memory
from graphmem.store import Store

README = """# Tidy sync

Tidy keeps folders in step and edits playlists.

## Formats

### M3U/M3U8/PLS/WPL Support

Playlists of the formats M3U, M3U8, PLS and WPL can be read and written with full support for metadata.

## Caching

Answers of the server are kept in a cache, and each entry of the cache has a time to live. Set `cache.enabled` to turn it off.

## Releases

Releases are built by the continuous integration and listed on the releases page. Every release has notes.
"""
FILES = {
    "README.md": README,
    "src/core/cache.ts": "export class SaveCache {\n  private entries = new Map<string, string>();\n\n  put(key: string, value: string): void {\n"
    "    this.entries.set(key, value);\n  }\n}\n",
    "src/core/config.ts": "export interface Config {\n  root: string;\n}\n\nexport function loadConfig(path: string): Config {\n  return { root: path };\n}\n",
    "src/core/similarity.ts": "export function scoreSimilarity(a: string, b: string): number {\n  return a === b ? 1 : 0;\n}\n",
    "src/core/change-detector.ts": "export function detectChanges(files: string[]): string[] {\n  return files;\n}\n",
    "src/commands/sync.ts": "import { loadConfig } from '../core/config';\n\nexport function sync(root: string): void {\n  loadConfig(root);\n}\n",
    "src/commands/log.ts": "export function showLog(entries: string[]): string {\n  return entries.join('\\n');\n}\n",
    "tests/integration/sync.test.ts": "import { sync } from '../../src/commands/sync';\n\ntest('sync', () => sync('.'));\n",
    "src/main/java/tidy/Playlist.java": "package tidy;\n\npublic class Playlist {\n    public final void save(String path) {\n        write(path);\n    }\n\n"
    "    private void write(String path) {\n    }\n}\n",
}
SESSIONS: dict[str, list[tuple[str, str]]] = {
    "values": [
        ("user", "The cache TTL is 45 minutes. We release from the branch stable, never from main."),
        ("assistant", "Noted: 45 minutes, and releases from stable."),
        ("user", "How do we publish releases?"),
        ("assistant", "I did not find anything about it."),
        ("user", "We publish releases with `npm run ship`, and only after the smoke tests passed."),
        ("assistant", "Understood."),
    ],
    "rules": [
        ("user", "Never use console.log in src/commands, use the logger of src/core instead."),
        ("assistant", "Understood: the logger instead of console.log."),
        ("user", "We no longer support the WPL format."),
        ("assistant", "Noted, WPL is gone."),
        ("user", "How is the score of similarity computed, and is the similarity score cached?"),
        ("assistant", "I would have to look."),
        ("user", "Should we add a lock file to the sync command?"),
        ("assistant", "There are reasons for and against it."),
    ],
    "log": [
        ("user", "The log viewer shows entries in the wrong order, showLog should sort them by their time."),
        ("assistant", "I sorted the entries in showLog because they arrive in any order. The log is now in order of time."),
    ],
    "java": [
        ("user", "Decision: Playlist.save writes to a temporary file and then renames it, because a crash must not lose the list."),
        ("assistant", "Understood, Playlist.save writes to a temporary file first and renames it."),
        ("user", "Playlist.save must never be called on the UI thread."),
        ("assistant", "Understood."),
    ],
    "한국어": [
        ("user", "동시 업로드는 최대 8개로 제한한다. 로그 보관 기간은 30일이다."),
        ("assistant", "알겠습니다."),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, Path]:
    """A repository and a store that hooks filled, session after session."""
    folder = tmp_path_factory.mktemp("days")
    repository, path = Repository(folder / "tidy"), folder / "store"
    repository.commit("Begin", dict(FILES))
    change = FILES["src/core/change-detector.ts"] + "\nexport const ALGORITHM = 'sha256';\n"
    repository.commit(
        "Fix the change hash calculation\n\nThe hash must cover the mode of a file, because a changed mode was never synced.",
        {"src/core/change-detector.ts": change},
        at=1_700_100_000,
    )
    with Memory.open(path, project="tidy") as memory:
        memory.init(str(repository.path))
        for session, turns in SESSIONS.items():
            live(memory, repository, session, turns)
        memory.process()
    return repository, path


def live(memory: Memory, repository: Repository, session: str, turns: list[tuple[str, str]]) -> None:
    """Let a session happen, as an agent reports it to the hooks."""
    base = {"session_id": session, "cwd": str(repository.path)}
    store = memory._store  # noqa: SLF001
    respond(store, "SessionStart", base)
    for role, text in turns:
        if role == "user":
            respond(store, "UserPromptSubmit", {**base, "prompt": text})
        else:
            respond(store, "Stop", {**base, "last_assistant_message": text})
    respond(store, "SessionEnd", base)


@pytest.fixture
def hook(world: tuple[Repository, Path]) -> Iterator[Callable[..., str]]:
    repository, path = world
    store = Store(path, settings.load_settings(None, {}), "tidy")

    def call(event: str, session: str, **given: object) -> str:
        said = respond(store, event, {"session_id": session, "cwd": str(repository.path), **given})
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))

    yield call
    store.close()
