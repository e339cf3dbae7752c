"""The linters and the type checker are content. They are pinned (the extra `lint`), with what they read: a newer one finds other
things, so they run only where exactly those versions are installed. `.ci/run` installs them, and runs also those that take longer
than all other checks of the source together, the type checker and bandit: elsewhere, they are deep tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from support import with_deep

ROOT = Path(__file__).parent.parent


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


PINNED = dict(
    pin.split("==")
    for pin in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["lint"]
)
OTHER = [f"{name} {_installed(name)} instead of {pin}" for name, pin in PINNED.items() if _installed(name) != pin]
pytestmark = pytest.mark.skipif(bool(OTHER), reason=f"pip install -e '.[lint]' ({'; '.join(OTHER)})")


def _run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("command", with_deep([["ruff", "check", "."], ["ruff", "format", "--check", "."]], [["mypy"]]))
def test_tools_are_content(command: list[str]) -> None:
    done = _run(*command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers_are_kept() -> None:
    done = subprocess.run([Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.deep
def test_every_finding_of_bandit_is_explained() -> None:
    explained = tomllib.loads((ROOT / "tests" / "bandit.toml").read_text("utf-8"))
    done = _run("bandit", "-q", "-c", "pyproject.toml", "-r", "graphmem", "-f", "json")
    report = json.loads(done.stdout)
    new = [
        f"{found['filename']}:{found['line_number']} {found['test_id']} {found['issue_text']}"
        for found in report["results"]
        if not any(
            re.search(one["code"], found["code"]) and re.search(one.get("file", ""), found["filename"])
            for one in explained.get(found["test_id"], ())
        )
    ]
    assert not new and not report["errors"]


def test_what_is_pinned_is_what_is_documented() -> None:
    """The lock of the tests and the pins name the same tools."""
    lock = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE))
    assert not {name: (pin, lock[name]) for name, pin in PINNED.items() if name in lock and lock[name] != pin}
