"""Work that somebody leaves for later in a conversation becomes a task with its blocker, and no rule; what is asked for now
becomes none. Told to a real store, in both languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = [  # who, text, title, blocker
    ("user", "TODO for later: add a test for parseArgs. It is blocked by the jest upgrade to 30.", "add a test for parseArgs", "jest upgrade to 30"),
    ("user", "TODO later: document the retry policy.", "document the retry policy", ""),
    ("user", "We still need to upgrade jest to 30.", "upgrade jest to 30", ""),
    ("user", "I still have to rotate the signing key.", "rotate the signing key", ""),
    ("user", "Don't forget to delete the staging bucket next week.", "delete the staging bucket", ""),
    ("user", "TODO next: port the importer. This is waiting for the schema review.", "port the importer", "schema review"),
    ("agent", "Done with the parser.\nTODO: write the migration guide. Blocked by the docs freeze.", "write the migration guide", "docs freeze"),
    ("user", "To do later: remove the feature flag new_checkout.", "remove the feature flag new_checkout", ""),
    ("user", "We have yet to translate the error messages.", "translate the error messages", ""),
    ("user", "Follow-up: move the cache to its own module.", "move the cache to its own module", ""),
    ("user", "Reminder for later: renew the TLS certificate.", "renew the TLS certificate", ""),
    ("user", "Later we still need to drop the v1 tables, because the audit asks for it.", "drop the v1 tables", ""),
    ("user", "할 일: 결제 모듈의 테스트를 추가한다.", "결제 모듈의 테스트를 추가", ""),
    ("user", "나중에 할 일: jest를 30으로 올려야 한다.", "jest를 30으로", ""),
    ("user", "아직 인증서를 갱신해야 한다.", "인증서를 갱신", ""),
    ("user", "할 일: 항상 켜져 있는 로그를 반드시 정리해야 한다.", "로그를 반드시 정리", ""),
    ("user", "후속 작업: 캐시를 별도 모듈로 옮겨야 합니다.", "캐시를 별도 모듈로", ""),
    ("user", "나중에 스키마를 다시 설계해야 해요.", "스키마를 다시 설계", ""),
    ("user", "할 일: 가져오기 도구를 이식한다. 스키마 검토 때문에 막혔다.", "가져오기 도구를 이식", "스키마 검토"),
    ("agent", "할 일: 이전 안내서를 쓴다.", "이전 안내서", ""),
    ("agent", "The login works again. TODO for later: rotate the keys.", "rotate the keys", ""),
    ("user", "Thanks, that is it. Follow-up: rename the config table", "rename the config table", ""),
    ("agent", "All tests pass. Later: raise the coverage of the parser.", "raise the coverage of the parser", ""),
    ("user", "TODO - shard the queue", "shard the queue", ""),
    ("user", "Note to self: order the new certificates", "order the new certificates", ""),
    ("user", "Ok, let's split the billing module later.", "Split the billing module", ""),
    ("user", "좋아. 나중에: 로그 형식을 통일한다", "로그 형식을 통일", ""),
    ("user", "키 교체는 나중에 하자.", "키 교체", ""),
    ("user", "나중에 대시보드를 정리하자.", "대시보드를 정리", ""),
    ("agent", "끝났습니다. 추후: 문서를 번역한다", "문서를 번역", ""),
]  # fmt: skip
NONE = [
    "We need to fix the login bug in auth.py.",
    "I still need to understand why parseArgs returns null.",
    "Do we still need to support Python 3.8?",
    "The TODO for later in parser.py is fine.",
    "We no longer need to upgrade jest.",
    "You don't have to wait for me.",
    "If we still need to keep the shim, tell me.",
    "이 함수를 고쳐야 합니다.",
    "아직 이해가 안 됩니다.",
    "나중에 다시 이야기하자.",
    "Later: the build failed again.",
    "We'll do it later.",
    "Let's talk about the importer later.",
    "I moved it and later the tests failed.",
    "나중에 이 문제를 논의하자.",
    "이건 나중에 하자.",
]


LEFT = """The importer reads both formats now, and its tests pass.

**Left for later:**
- Port the exporter to the new format
- [x] Update the importer
- Translate the error messages

The Windows path is deferred to a follow-up. I left the old flag in place."""


def tell(folder: Path, project: str, role: str, text: str) -> None:
    with Memory.open(folder, project=project) as memory:
        memory.observe(
            text, role="assistant" if role == "agent" else "user", session=project, at=START + timedelta(days=1)
        )
        memory.process()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("said") / "store"
    for number, (role, text, *_) in enumerate(LATER):
        tell(folder, f"later-{number}", role, text)
    for number, text in enumerate(NONE):
        tell(folder, f"none-{number}", "user", text)
    return folder


@pytest.mark.parametrize("number", range(len(LATER)))
def test_what_is_left_for_later_is_a_task_with_its_blocker(number: int, store: Path) -> None:
    *_, title, blocker = LATER[number]
    with Memory.open(store, project=f"later-{number}") as memory:
        (task,) = memory.tasks.find()
        assert re.search(re.escape(title), task.title, re.I) and len(task.title) <= len(title) + 24, task.title
        assert task.title[:1] not in "·:,-"
        waits = [ref.text for ref in (*task.blocked_by, *task.suggested)]
        assert not blocker or any(blocker in each for each in waits), waits
        facts = memory.cypher(
            "MATCH (f:Fact) WHERE f.project = $p RETURN f.content, f.kind", {"p": f"later-{number}"}
        ).rows
        assert not facts, facts


@pytest.mark.parametrize("number", range(len(NONE)))
def test_what_is_asked_for_now_is_no_task(number: int, store: Path) -> None:
    with Memory.open(store, project=f"none-{number}") as memory:
        assert memory.tasks.find() == []


def test_what_an_agent_left_for_later_is_a_suggestion_with_its_words(store: Path) -> None:
    tell(store, "left", "agent", LEFT)
    tell(store, "left", "agent", f"Nothing new.\n\n{LEFT}")
    with Memory.open(store, project="left") as memory:
        found = {task.title: task for task in memory.tasks.find()}
        assert set(found) == {"Port the exporter to the new format", "Translate the error messages", "The Windows path"}
        assert all(task.is_note and "suggested" in task.labels and task.session for task in found.values())
        assert "deferred to a follow-up" in found["The Windows path"].description
        assert "exporter" not in memory.tasks.prime() and not memory.tasks.ready()
        memory.tasks.claim(found["Translate the error messages"].id, by="me")
        assert "Translate the error messages" in memory.tasks.prime()
