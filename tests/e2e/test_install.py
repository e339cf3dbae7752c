"""install, status and uninstall as commands, in a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import STOP_S

from graphmem import Memory
from graphmem.interfaces.hooks.place import find
from graphmem.log import spool


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def graphmem(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "graphmem.interfaces.entry", *arguments]
    return subprocess.run(run, cwd=cwd, capture_output=True, text=True, timeout=STOP_S, env=dict(os.environ))


def test_what_is_installed_works_and_goes_again(home: Path) -> None:
    done = graphmem("install", "--for", "claude-code", cwd=home)
    assert done.returncode == 0 and "added" in done.stdout, done.stderr
    assert "Start a new session of Claude Code" in done.stdout
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    run = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    answer = subprocess.run(run, shell=True, input="not json", capture_output=True, text=True, cwd=home)  # noqa: S602
    assert (answer.returncode, answer.stdout) == (0, "{}\n")
    checked = graphmem("status", "--test", cwd=home)
    assert checked.returncode == 0, checked.stdout
    assert (
        "ok   Claude Code" in checked.stdout
        and "ok   hook" in checked.stdout
        and "ok   server: offers" in checked.stdout
    )
    again = graphmem("install", "--for", "claude-code", cwd=home).stdout
    assert "unchanged" in again and "new session" not in again
    graphmem("uninstall", "--for", "claude-code", cwd=home)
    assert not (home / ".claude" / "settings.json").exists() and not (home / ".claude.json").exists()


def test_the_plugin_takes_the_place_of_single_hooks(home: Path) -> None:
    graphmem("install", "--for", "claude-code", cwd=home)
    done = graphmem("install", "--for", "claude-code", "--plugin", cwd=home)
    assert done.returncode == 0, done.stderr
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    assert settings["enabledPlugins"] == {"graphmem@graphmem": True} and "hooks" not in settings
    assert graphmem("uninstall", "--for", "claude-code", cwd=home).returncode == 0
    assert "enabledPlugins" not in (home / ".claude" / "settings.json").read_text()


def test_an_unknown_program_is_one_sentence(home: Path) -> None:
    done = graphmem("install", "--for", "emacs", cwd=home)
    assert done.returncode != 0 and "choose one of claude-code" in done.stderr and "Traceback" not in done.stderr


def test_status_knows_what_is_installed_for_the_project_here(home: Path) -> None:
    project = home / "work"
    project.mkdir()
    assert graphmem("install", "--for", "cursor", "--folder", ".", cwd=project).returncode == 0
    assert graphmem("uninstall", "--for", "cursor", "--project", ".", cwd=project).stdout.startswith("removed")
    assert graphmem("install", "--for", "cursor", "--project", ".", cwd=project).stdout.startswith("added")
    checked = graphmem("status", cwd=project)
    assert checked.returncode == 0 and f"Cursor: {project / '.cursor' / 'mcp.json'}" in checked.stdout.replace("\n", "")
    elsewhere = graphmem("status", cwd=home).stdout
    assert "Cursor" not in elsewhere and "off  not connected: claude-code, claude-desktop, cursor, " in elsewhere


def test_status_tells_what_is_off_and_broken_and_starts_nothing(home: Path) -> None:
    def lines() -> list[str]:
        return graphmem("status", cwd=home).stdout.splitlines()

    assert {line[:14] for line in lines()} == {"off  not conne", "ok   recording", "off  store: no"}
    store = Path(find(str(home)).store)
    assert not store.exists()
    graphmem("pause", cwd=home)
    assert any(line.startswith("off  recording: paused") for line in lines())
    graphmem("resume", cwd=home)
    with Memory.open(store) as mem:
        mem.observe("The mast is white.")
    spool.write(str(store), "UserPromptSubmit", b"{}")
    assert any("1 input waits to be recorded" in line for line in lines())
    assert any(line.startswith("off  owner: not running") for line in lines()) and not (store / "owner.json").exists()
    (store / "graph-1.kuzu.compacted").write_text('{"before": 328204288, "after": 22020096}')
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{ nonsense")
    broken = graphmem("status", cwd=home)
    assert broken.returncode == 1 and "FAIL Cursor: " in broken.stdout and "Traceback" not in broken.stderr
    assert "ok   graph: written again at " in broken.stdout and "313 MB became 21 MB" in broken.stdout
    told = json.loads(graphmem("status", "--json", cwd=home).stdout)["data"]
    assert {row["state"] for row in told} == {"ok", "off", "FAIL"}


def test_hooks_that_were_lost_are_told(home: Path) -> None:
    graphmem("install", "--for", "claude-code", cwd=home)
    (home / ".claude" / "settings.json").write_text("{}")
    assert f"off  Claude Code: nothing in {home / '.claude' / 'settings.json'}" in graphmem("status", cwd=home).stdout
    graphmem("install", "--for", "claude-code", "--plugin", cwd=home)
    assert "ok   Claude Code plugin" in graphmem("status", cwd=home).stdout
