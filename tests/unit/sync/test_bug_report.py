"""`doctor --report` says what a developer needs, and contains nothing that the user wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.text.bug_report import bug_report_text
from graphmem.ports.backlog import PROJECTION
from graphmem.sync.bug_report import hide_quotes

# Each is somewhere in the store, its settings, its log or the errors about it.
PLANTED = ("quokka", "wombat", "numbat", "possum", "dingo", "echidna", "bilby", "카피바라")


@pytest.fixture
def reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setenv("GRAPHMEM_HOOK_LIMIT_S", "quokka")
    store = tmp_path / "wombat" / "store"
    settings = {"model.url": "https://echidna.example", "graph.query_rows": 77, "embedding.provider": "none"}
    with Memory.open(store, project="dingo", settings=settings) as mem:
        event = mem.observe("The numbat key is bilby, 카피바라.", session="possum")
        mem.tasks.create("Feed the quokka", ref="numbat-1")
        mem.process()
        mem._store.backlog.set_aside(f"{PROJECTION}.graph/3", [(event, "KeyError: the possum of 카피바라 bit bilby")])
        (store / "owner.log").write_text(
            "2026-01-01 10:00:00,001 INFO serving dingo\n"
            "2026-01-01 10:00:01,001 WARNING memify: the file /home/quokka/x of `bilby` and 'numbat' in project dingo is damaged\n"
            "2026-01-01 10:00:02,001 ERROR memify: ValueError\n",
            "utf-8",
        )
        return mem.bug_report()


def test_no_text_of_the_user_is_in_a_report(reported: dict[str, object]) -> None:
    for text in (json.dumps(reported, ensure_ascii=False), bug_report_text(reported)):
        assert not [word for word in PLANTED if word in text]


def test_a_report_has_versions_sizes_settings_states_and_errors(reported: dict[str, object]) -> None:
    text = bug_report_text(reported)
    for line in (
        "- kuzu: 0.11.3", "- system: Linux", "  - log.db: ", "- graph.query_rows: 77", "- model.url: …", "- GRAPHMEM_HOOK_LIMIT_S",
        f"- step {PROJECTION}.graph/3, error KeyError, given_up True, events 1", "ERROR memify: ValueError", "WARNING memify: the file … of … and … in project … is damaged",
        "`graphmem process --retry` retries dead letters",
    ):  # fmt: skip
        assert line in text, line
    assert "INFO" not in text


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("log.db: page 3 is damaged", "log.db: page 3 is damaged"),
        ("run `graphmem rebuild`", "run `graphmem rebuild`"),
        ("`graphmem process --retry` retries them; `graphmem forget ID` discards one", None),
        ("`graphmem tasks reopen walnut` reopens it", "… reopens it"),
        ("no item `secret` in /home/ada/x", "no item … in …"),
        ("KeyError: 'Ada' of ada@example.com", "KeyError: … of …"),
        ('the file "C:\\Users\\Ada" is gone', "the file … is gone"),
        ("비밀번호 is wrong", "… is wrong"),
    ],
)
def test_what_a_message_quotes_is_hidden(message: str, shown: str | None) -> None:
    assert hide_quotes(message) == (message if shown is None else shown)


def test_a_damaged_store_still_gives_a_report(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        mem.observe("We sign releases.", session="s")
        mem.process()
    (tmp_path / "store" / "index.db").write_bytes(b"nonsense" * 1_000)
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        report = mem.bug_report()
    assert report["store"]["events"] == 1 and bug_report_text(report)
