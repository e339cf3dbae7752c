"""Every program on every platform: entries go in, stay single, and come out without a trace."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.install import bundle, files, installer
from graphmem.interfaces.install.targets import TARGETS, Machine

START = ["/opt/graphmem/bin/graphmem"]
EXPECTED = {
    ("claude-code", "linux"): ".claude.json",
    ("claude-code", "darwin"): ".claude.json",
    ("claude-code", "win32"): ".claude.json",
    ("claude-desktop", "linux"): ".config/Claude/claude_desktop_config.json",
    ("claude-desktop", "darwin"): "Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "win32"): "AppData/Roaming/Claude/claude_desktop_config.json",
    ("cursor", "linux"): ".cursor/mcp.json",
    ("cursor", "darwin"): ".cursor/mcp.json",
    ("cursor", "win32"): ".cursor/mcp.json",
    ("codex", "linux"): ".codex/config.toml",
    ("codex", "darwin"): ".codex/config.toml",
    ("codex", "win32"): ".codex/config.toml",
    ("gemini", "linux"): ".gemini/settings.json",
    ("gemini", "darwin"): ".gemini/settings.json",
    ("gemini", "win32"): ".gemini/settings.json",
    ("vscode", "linux"): ".config/Code/User/mcp.json",
    ("vscode", "darwin"): "Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "AppData/Roaming/Code/User/mcp.json",
}
CROWDED = """{
  // hand-written
  "theme": "dark",
  "KEY": {
    "weather": { "command": "npx", "args": ["-y", "weather"] }, // theirs
  }
}
"""
HOOKED = """{
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "PostToolUse": [
      {"matcher": "Edit", "hooks": [{"type": "command", "command": "prettier --write"}]}
    ],
    "Notification": [{"hooks": [{"type": "command", "command": "say graphmem hook"}]}]
  }
}
"""


@pytest.mark.parametrize(("name", "platform"), EXPECTED)
def test_fresh_files_lie_where_the_program_looks_and_go_again(name: str, platform: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, platform, {})
    installer.install(name, machine, start=START)
    file = tmp_path / EXPECTED[name, platform]
    text = file.read_text()
    entry = (tomllib.loads(text) if file.suffix == ".toml" else json.loads(text))[TARGETS[name].servers]["graphmem"]
    assert entry["command"] == START[0] and entry["args"] == ["mcp"]
    assert [change.outcome for change in installer.install(name, machine, start=START)] == ["unchanged"] * (
        1 + (name == "claude-code")
    )
    assert file.read_text() == text
    installer.uninstall(name, machine)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.form == "json"])
def test_other_entries_and_comments_survive(name: str, tmp_path: Path) -> None:
    machine, target = Machine(tmp_path, "linux", {}), TARGETS[name]
    before = CROWDED.replace("KEY", target.servers)
    file = target.user(machine)
    files.write(file, before)
    installer.install(name, machine, start=START)
    added = file.read_text()
    assert "// hand-written" in added and "weather" in added and "graphmem" in added
    file.write_text(added.replace('"dark"', '"light"'))  # they go on living with it
    installer.uninstall(name, machine)
    assert file.read_text() == before.replace('"dark"', '"light"')


@pytest.mark.parametrize(
    "before", ["", "model = 'x' # mine\n", '# c\n[mcp_servers.other]\ncommand = "a"\n\n[tui]\nx = 1\n', "a = 1"]
)
def test_toml_survives(before: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    file = TARGETS["codex"].user(machine)
    if before:
        files.write(file, before)
    installer.install("codex", machine, start=START)
    assert tomllib.loads(file.read_text())["mcp_servers"]["graphmem"]["args"] == ["mcp"]
    installer.install("codex", machine, start=["/new/graphmem"])
    assert tomllib.loads(file.read_text())["mcp_servers"]["graphmem"]["command"] == "/new/graphmem"
    installer.uninstall("codex", machine)
    assert (file.read_text() if before else file.exists()) == (before or False)


def test_hooks_join_those_of_others(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    file = tmp_path / ".claude" / "settings.json"
    files.write(file, HOOKED)
    installer.install("claude-code", machine, start=START)
    hooks = json.loads(file.read_text())["hooks"]
    assert {event for event, _, _ in installer.HOOKS} <= hooks.keys()
    assert [group["hooks"][0]["command"] for group in hooks["PostToolUse"]] == [
        "prettier --write",
        f"{START[0]} hook PostToolUse",
    ]
    installer.install("claude-code", machine, start=["/elsewhere/graphmem"])  # a new installation replaces the old
    hooks = json.loads(file.read_text())["hooks"]
    assert hooks["Stop"] == [installer.hook_entry(["/elsewhere/graphmem"], "Stop", None, 10)]
    assert len(hooks["PostToolUse"]) == 2
    installer.uninstall("claude-code", machine)
    assert file.read_text() == HOOKED


def test_a_group_shared_with_others_keeps_their_hooks(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    file = tmp_path / ".claude" / "settings.json"
    mixed = '{"hooks": {"Stop": [{"hooks": [{"command": "mine"}, {"command": "/x/graphmem hook Stop"}]}]}}'
    files.write(file, mixed)
    installer.uninstall("claude-code", machine)
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}


def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    file = tmp_path / ".claude" / "settings.json"
    files.write(file, '{"hooks": [')
    with pytest.raises(UsageError, match="nothing was changed"):
        installer.install("claude-code", machine, start=START)
    assert file.read_text() == '{"hooks": [' and not (tmp_path / ".claude.json").exists()


def test_projects_links_and_names(tmp_path: Path) -> None:
    machine, project = Machine(tmp_path / "home", "linux", {}), tmp_path / "project"
    real = tmp_path / "dotfiles.json"
    files.write(real, "{}\n")
    (project / ".cursor").mkdir(parents=True)
    (project / ".cursor/mcp.json").symlink_to(real)
    installer.install("cursor", machine, project, start=START)
    assert (project / ".cursor/mcp.json").is_symlink() and "graphmem" in real.read_text()
    with pytest.raises(UsageError, match="no project configuration"):
        installer.install("claude-desktop", machine, project)
    with pytest.raises(NotFound, match="claude-code, claude-desktop"):
        installer.install("emacs", machine)


def test_the_plugin_is_whole_and_says_what_the_installer_says(tmp_path: Path) -> None:
    shipped = json.loads((bundle.SOURCE / "hooks" / "hooks.json").read_text())["hooks"]
    assert shipped == {
        event: [installer.hook_entry(["graphmem"], event, matcher, seconds)]
        for event, matcher, seconds in installer.HOOKS
    }
    manifest = json.loads((bundle.SOURCE / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["name"] == "graphmem"
    commands = sorted(path.stem for path in (bundle.SOURCE / "commands").glob("*.md"))
    assert {
        "memory-search",
        "memory-history",
        "memory-stats",
        "memory-import",
        "memory-list",
        "memory-tasks",
        "memory-forget",
        "memory-show",
    } <= set(commands)
    assert all(
        (bundle.SOURCE / "commands" / f"{name}.md").read_text().startswith("---\ndescription: ") for name in commands
    )


def test_the_plugin_goes_in_and_out(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    settings = tmp_path / ".claude" / "settings.json"
    files.write(settings, HOOKED)
    bundle.install_bundle(machine, tmp_path / "data", START)
    enabled = json.loads(settings.read_text())
    assert enabled["enabledPlugins"] == {"graphmem@graphmem": True}
    folder = Path(enabled["extraKnownMarketplaces"]["graphmem"]["source"]["path"])
    assert f"{START[0]} hook Stop" in (folder / "hooks" / "hooks.json").read_text()
    bundle.uninstall_bundle(machine, tmp_path / "data")
    assert settings.read_text() == HOOKED and not folder.exists()


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_broken_file_is_named(name: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, "linux", {})
    file = tmp_path / EXPECTED[name, "linux"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{ broken = [")
    for act in (installer.install, installer.uninstall, installer.configuration_state):
        with pytest.raises(UsageError, match=f"^{file}: not valid"):
            act(name, machine)
    assert file.read_text() == "{ broken = ["
