"""What a project's user works with: told as a sentence, and only where it is named again and again."""

from __future__ import annotations

from pathlib import Path

from graphmem import Memory, settings
from graphmem.memify.usage import DAY
from graphmem.store import Store
from tests.conftest import Hands


def test_what_the_user_works_with_is_told_once_many_sessions_name_it(tmp_path: Path, clock: Hands) -> None:
    clock.time = 20_000 * DAY + DAY // 2
    with Memory(Store(tmp_path / "store", settings.load_settings(tmp_path), "demo", clock)) as memory:
        for session in range(6):
            for number in range(2):
                said = f"Please look at Python module {session}{number} and its Markdown page."
                memory.observe(said, session=f"s{session}", role="user")
        for session in range(3):
            memory.observe("Please look at the Rust crate, too.", session=f"s{session}", role="user")
        memory.process()
        memory.memify()
        found = memory.cypher(
            "MATCH (p:Pattern) WHERE p.context = 'expertise' RETURN p.content ORDER BY p.content"
        ).rows
    assert [content for (content,) in found] == [
        "The user often works with the language Python (12 prompts in 6 sessions)"
    ]
