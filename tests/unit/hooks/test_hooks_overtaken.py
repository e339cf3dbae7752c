"""What was said before a person corrected it is no conclusion that a later session starts with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import settings
from graphmem.hooks.overtaken import without_overtaken
from graphmem.hooks.respond import respond
from graphmem.memory import Memory
from graphmem.store import Store

START = datetime(2026, 2, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "again", "old", "new"),
    [
        (
            "max-age 기본값은 앞으로 600초로 하기로 하자.",
            "아 잠깐, 600초가 아니라 300초로 하자. 보안팀 요청이야.",
            "알겠습니다. 기본 max-age 는 600초로 결정했습니다.",
            "300초",
        ),
        (
            "The retry limit of the importer is 12 seconds.",
            "Wait, not 12 seconds but 20 seconds.",
            "We decided that the retry limit of the importer is 12 seconds from now on.",
            "20 seconds",
        ),
    ],
)
@pytest.mark.parametrize("later", ["first", "second"])
def test_a_session_does_not_start_with_what_was_corrected(
    tmp_path: Path, said: str, again: str, old: str, new: str, later: str
) -> None:
    turns = [("first", "user", said), ("first", "assistant", old), (later, "user", again), (later, "assistant", "Ok.")]
    with Memory.open(tmp_path / "store", project="den") as memory:
        for minute, (session, role, text) in enumerate(turns):
            memory.observe(text, role=role, session=session, at=START + timedelta(minutes=minute))
        memory.process()
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "den")
    for source in ("startup", "compact"):
        asked = {"session_id": f"new-{source}", "cwd": str(tmp_path), "source": source}
        told = str(respond(store, "SessionStart", asked).get("hookSpecificOutput", {}).get("additionalContext", ""))
        assert new in told and not any(value in told for value in ("600", "12 seconds"))
    store.close()


@pytest.mark.parametrize(
    "kept",
    [
        "The pool size went from 5 to 8.",
        "The retry limit is 5.",
        "The pool size is 8.",
        "The pool was rebuilt.",
    ],
)
def test_what_says_anything_else_stays(kept: str) -> None:
    assert without_overtaken(kept, ["The pool size is 5."]) == kept
