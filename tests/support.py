"""What tests and their fixtures share: a git repository to write into, and a clock that obeys. A module of its own, because
`conftest` is a name that several folders have."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repository:
    """A git repository under the test's control."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: int = 1_700_000_000) -> str:
        identity = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": f"{at} +0000"}
        environment = {
            **os.environ,
            **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in identity.items()},
        }
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments], check=True, capture_output=True, text=True,
            env=environment | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self, message: str, files: dict[str, str | bytes] | None = None, at: int = 1_700_000_000) -> str:
        for name, text in (files or {}).items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)
        return self.git("rev-parse", "HEAD")


class Hands:
    """A clock that a test moves; its random bytes count up."""

    def __init__(self) -> None:
        self.time = 1_700_000_000_000_000
        self.drawn = 0

    def now(self) -> int:
        return self.time

    def random(self, size: int) -> bytes:
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")
