"""Days of work with an agent, through the real hooks: what later sessions are told of values, rules and decisions, and what not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import Repository

from graphmem import settings
from graphmem.hooks.respond import respond
from graphmem.memory import Memory
from graphmem.operations.pipeline import Process
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
        ("assistant", "Noted, WPL is gone. Entries with a changed mode are hashed and synced twice."),
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
    "mixed": [
        ("user", "SaveCache.put must copy the value, because callers change theirs later."),
        ("assistant", "Understood: SaveCache.put copies the value."),
        ("user", "Never run the nightly build twice, it takes 14 minutes on the build machine."),
        ("assistant", "Understood, the nightly build runs once."),
        ("user", "The tests for Windows must always run on a real machine."),
        ("assistant", "Noted. The tests for Windows are still missing."),
    ],
    "한국어": [
        ("user", "동시 업로드는 최대 8개로 제한한다. 로그 보관 기간은 30일이다. `eval` 함수는 절대 사용하지 않는다."),
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
    store = memory._store
    respond(store, "SessionStart", base)
    for role, text in turns:
        if role == "user":
            respond(store, "UserPromptSubmit", {**base, "prompt": text})
        else:
            respond(store, "Stop", {**base, "last_assistant_message": text})
    respond(store, "SessionEnd", base)


@pytest.fixture(scope="module")
def asked(world: tuple[Repository, Path]) -> Iterator[Memory]:
    with Memory.open(world[1], project="tidy") as memory:
        yield memory


@pytest.fixture
def hook(world: tuple[Repository, Path]) -> Iterator[Callable[..., str]]:
    repository, path = world
    store = Store(path, settings.load_settings(None, {}), "tidy")

    def call(event: str, session: str, **given: object) -> str:
        said = respond(store, event, {"session_id": session, "cwd": str(repository.path), **given})
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))

    yield call
    store.close()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the cache TTL", "45 minutes"),
        ("what is the TTL of the cache?", "45 minutes"),
        ("what is the TTL", "45 minutes"),
        ("캐시 TTL은 몇 분인가", "45 minutes"),
        ("How do we publish releases?", "npm run ship"),
        ("publish releases", "npm run ship"),
        ("Which branch do we release from?", "stable"),
        ("릴리스는 어느 브랜치에서 하나요", "stable"),
        ("Do we support WPL?", "no longer support"),
        ("console.log rule", "Never use console.log"),
        ("never use console.log", "Never use console.log"),
        ("동시 업로드는 몇 개까지인가", "최대 8개"),
        ("로그는 며칠 보관하나", "30일"),
    ],
)
def test_a_stated_value_or_rule_is_the_first_hit_and_reaches_the_next_session(
    asked: Memory, hook: Callable[..., str], question: str, answer: str
) -> None:
    found = asked.search(question, k=2)
    assert answer in found.hits[0].content and found.confidence != "none"
    answered = asked.ask(question)
    assert answered.confidence != "none" and not answered.missing
    assert question.count(" ") < 2 or answer in hook("UserPromptSubmit", f"asks {question}", prompt=question)


@pytest.mark.parametrize(
    "query", ["score similarity", "similarity score cached", "publish releases", "lock file", "add a lock file"]
)
def test_a_question_answers_nothing(asked: Memory, hook: Callable[..., str], query: str) -> None:
    first = asked.search(query, k=3).hits[0]
    assert not first.content.endswith("?")
    assert "?" not in hook("UserPromptSubmit", f"repeats {query}", prompt=f"Please {query} now")


def test_a_sentence_with_all_words_of_a_question_stands_before_a_commit_that_shares_them(asked: Memory) -> None:
    for question in (
        "are entries with a changed mode synced twice?",
        "when are entries of a changed mode hashed twice?",
    ):
        first = asked.search(question, k=3).hits[0]
        assert "synced twice" in first.content and first.kind == "turn"


def test_a_name_that_only_a_conversation_has_is_known(asked: Memory) -> None:
    assert asked.ask("what does `TTL` mean for the nightly synchronisation of all entries").missing == ()
    assert "XQJ" in asked.ask("what does `XQJ` mean").missing


def test_code_is_still_found_where_it_is_asked_for(asked: Memory) -> None:
    assert asked.search("where is the cache", k=3).hits[0].kind == "symbol"
    assert asked.search("SaveCache", k=3).hits[0].kind == "symbol"
    assert asked.search("which function saves a playlist", k=3).hits[0].title.endswith("Playlist.save")


def test_a_module_without_documentation_is_behind_what_it_has_and_never_told(
    asked: Memory, hook: Callable[..., str]
) -> None:
    for query, part in (
        ("similarity", "scoreSimilarity"),
        ("change detector", "detectChanges"),
        ("savecache", "SaveCache"),
    ):
        first = next(hit for hit in asked.search(query, k=10).hits if hit.kind == "symbol")
        assert part in first.title
    for prompt in (
        "Fix the tests in tests/integration",
        "Have a look at the sync tests",
        "Explain the change detector",
    ):
        assert "module " not in hook("UserPromptSubmit", prompt, prompt=prompt)
    told = hook("SubagentStart", "detector", prompt="Find out how the change detector calculates the hash")
    assert "change hash calculation" in told and "module " not in told


@pytest.mark.parametrize(
    "prompt",
    ["Add a debug print to src/commands/sync.ts with console.log", "sync.ts에 console.log로 디버그 출력을 추가해 줘"],
)
def test_a_standing_rule_is_told_when_a_prompt_would_break_it(hook: Callable[..., str], prompt: str) -> None:
    told = hook("UserPromptSubmit", prompt, prompt=prompt)
    assert "Never use console.log" in told and "showLog" not in told


def test_a_standing_rule_is_told_when_an_edit_would_break_it(
    world: tuple[Repository, Path], hook: Callable[..., str]
) -> None:
    def edit(session: str, name: str, new: str) -> str:
        change = {"file_path": str(world[0].path / name), "old_string": "entries", "new_string": new}
        return hook("PreToolUse", session, tool_name="Edit", tool_input=change)

    assert "Never use console.log" in edit("e1", "src/commands/log.ts", "entries.sort()")
    assert "Never use console.log" in edit("e2", "src/core/config.ts", "console.log(1)")
    assert "절대 사용하지 않는다" in edit("e3", "src/core/config.ts", "eval('1')")
    assert edit("e4", "src/core/config.ts", "return 1") == ""


@pytest.mark.parametrize(
    "old", ["    public final void save(String path) {", "    public final void save(", "        write(path);"]
)
def test_an_edit_of_a_method_gets_the_decisions_about_it(
    world: tuple[Repository, Path], hook: Callable[..., str], old: str
) -> None:
    file = str(world[0].path / "src/main/java/tidy/Playlist.java")
    change = {"file_path": file, "old_string": old, "new_string": f"{old} // now"}
    told = hook("PreToolUse", old, tool_name="Edit", tool_input=change)
    assert "temporary file" in told and "never be called on the UI thread" in told


def test_a_conversation_is_told_without_its_other_topics(
    world: tuple[Repository, Path], hook: Callable[..., str]
) -> None:
    file = str(world[0].path / "src/core/cache.ts")
    change = {"file_path": file, "old_string": "  put(key: string", "new_string": "  put(name: string"}
    for told in (
        hook("PreToolUse", "cache", tool_name="Edit", tool_input=change),
        hook("UserPromptSubmit", "cache again", prompt="Make SaveCache.put faster"),
    ):
        assert "must copy the value" in told
        assert "nightly" not in told and "Windows" not in told


@pytest.mark.parametrize(
    "prompt", ["What is still open from last time?", "Where did we leave off last session?", "지난번에 어디까지 했지?"]
)
def test_the_last_session_is_told_when_a_prompt_asks_for_it(hook: Callable[..., str], prompt: str) -> None:
    told = hook("UserPromptSubmit", prompt, prompt=prompt)
    assert "Last sessions" in told and "left open: The tests for Windows are still missing." in told


@pytest.mark.parametrize(
    "prompt", ["Rename the variable x to y in my script", "오늘 날씨가 정말 좋네요", "Thanks, that is all for now"]
)
def test_what_nothing_concerns_gets_nothing(hook: Callable[..., str], prompt: str) -> None:
    assert hook("UserPromptSubmit", prompt, prompt=prompt) == ""


def test_a_session_starts_with_what_the_last_ones_stated(hook: Callable[..., str]) -> None:
    told = hook("SessionStart", "new", source="startup")
    assert "temporary file and then renames it" in told and "최대 8개" in told and "Last sessions" in told
    assert told.count("Playlist.save must never be called") <= 1


def test_an_issue_that_is_closed_by_its_number_in_the_same_batch_is_done(tmp_path: Path, clock) -> None:
    opened = Store(tmp_path / "issues", settings.load_settings(None, {"embedding.provider": "none"}), "demo", clock)
    calls = [
        ('gh issue create --title "Parser drops tabs" --body x', "https://github.com/acme/web/issues/7"),
        ("gh issue close 7", "✓ Closed issue acme/web#7 (Parser drops tabs)"),
    ]
    for command, printed in calls:
        told = {"session_id": "s", "cwd": "/w", "tool_name": "Bash", "tool_input": {"command": command}}
        respond(
            opened, "PostToolUse", told | {"tool_response": {"stdout": printed, "stderr": "", "interrupted": False}}
        )
    opened.run(Process())
    rows = opened.graph.query("MATCH (t:Task) RETURN t.title, t.status", {}).rows
    opened.close()
    assert [tuple(row) for row in rows] == [("Parser drops tabs", "done")]
