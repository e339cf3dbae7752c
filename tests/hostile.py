"""A repository that tries to run programs by every way that git has: each leaves a file of its own name where it ran."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import STOP_S, Repository

_HOOKS = (
    "post-index-change",
    "post-checkout",
    "reference-transaction",
    "pre-auto-gc",
    "fsmonitor-watchman",
    "post-commit",
)


class Trap:
    """A repository with history and uncommitted changes, and all that git would start in it."""

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)
        self._programs = folder / "programs"
        self._programs.mkdir()
        self.repository = Repository(folder / "foreign")
        self.path = self.repository.path
        self._fill()
        self._arm()

    def ran(self) -> list[str]:
        """The names of what was started since the last time."""
        found = sorted(mark.name for mark in self.marks.iterdir())
        for mark in self.marks.iterdir():
            mark.unlink()
        return found

    def _fill(self) -> None:
        source = "def total(prices):\n    return tax(sum(prices))\n\n\ndef tax(n):\n    return n * {}\n"
        self.repository.commit("Add the cart", {"cart.py": source.format("1.2"), "web/app.js": "function main() { go(); }\n",
                                                "notes.md": "# Notes\n\nAmounts are whole cents.\n"})  # fmt: skip
        self.repository.commit("Fix the tax", {"cart.py": source.format("1.19"), "gone.py": "x = 1\n"})
        inner = Repository(self.path / "sub")
        inner.commit("Inner", {"inner.py": "y = 1\n"})
        inner.git("config", "core.fsmonitor", self.program("submodule"))
        self.repository.commit("Add a part", {".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n'})
        self._sign()
        lost = self.repository.git("rev-parse", "HEAD:gone.py")
        (self.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
        self.repository.write("cart.py", source.format("1.21"))
        self.repository.write("web/app.js", "function main() { go(1); }\n")
        self.repository.write("notes.md", "# Notes\n\nAmounts are whole cents, always.\n")
        self.repository.write("new.py", "def fresh():\n    return 1\n")

    def _sign(self) -> None:
        """A commit with a signature, which git would have checked."""
        lines = self.repository.git("cat-file", "commit", "HEAD").split("\n\n", 1)
        signed = (
            f"{lines[0]}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{lines[1]}\n"
        )
        file = self.path / ".git" / "signed"
        file.write_text(signed)
        made = self.repository.git("hash-object", "-t", "commit", "-w", "--literally", str(file))
        self.repository.git("update-ref", "HEAD", made)

    def program(self, name: str, then: str = "exit 0") -> str:
        """A program that leaves a mark."""
        file = self._programs / name
        file.write_text(f"#!/bin/sh\n: > '{self.marks}/{name}'\n{then}\n")
        file.chmod(0o755)
        return str(file)

    def _arm(self) -> None:
        directory = self.path / ".git"
        hooks = directory / "own-hooks"
        for folder in (hooks, directory / "hooks"):
            folder.mkdir(exist_ok=True)
            for hook in _HOOKS:
                (folder / hook).symlink_to(self.program(hook))
        included = directory / "included"
        included.write_text(
            f"[core]\n\talternateRefsCommand = {self.program('included')}\n[gpg]\n\tprogram = {self.program('gpg')}\n"
        )
        settings = {
            "include.path": str(included), "core.fsmonitor": self.program("fsmonitor"), "core.hooksPath": str(hooks),
            "core.pager": self.program("pager"), "core.editor": self.program("editor"), "core.sshCommand": self.program("ssh"),
            "core.gitProxy": self.program("proxy"), "core.askPass": self.program("askpass"), "log.showSignature": "true",
            "filter.clean.clean": self.program("clean", "cat"), "filter.clean.smudge": self.program("smudge"),
            "filter.clean.required": "true", "filter.process.process": self.program("process"), "filter.a=b.clean": self.program("clean-2"),
            "diff.external": self.program("external"), "diff.text.textconv": self.program("textconv", 'cat "$1"'),
            "diff.own.command": self.program("command"), "merge.own.driver": self.program("merge"),
            "credential.helper": f"!{self.program('credential')}", "pager.log": self.program("pager-log"),
            "pager.diff": self.program("pager-diff"), "pager.status": self.program("pager-status"),
            "alias.status": f"!{self.program('alias')}", "alias.log": f"!{self.program('alias-log')}",
            "interactive.diffFilter": self.program("interactive"), "uploadpack.packObjectsHook": self.program("pack-objects"),
            "protocol.allow": "always", "protocol.ext.allow": "always", "remote.origin.promisor": "true",
            "remote.origin.url": f"ext::{self.program('lazy-fetch')}", "remote.origin.uploadpack": self.program("uploadpack"),
            "remote.origin.partialCloneFilter": "blob:none", "extensions.partialClone": "origin",
            "core.repositoryFormatVersion": "1", "submodule.sub.update": f"!{self.program('update')}",
            "submodule.sub.active": "true", "submodule.recurse": "true", "status.submoduleSummary": "true",
            "diff.submodule": "log", "color.ui": "always", "color.diff": "always", "diff.noprefix": "true",
            "log.diffMerges": "on", "diff.orderFile": "/nowhere", "maintenance.auto": "true",
        }  # fmt: skip
        for name, value in settings.items():
            self.repository.git("config", name, value)
        attributes = "*.py filter=clean diff=text\n*.js filter=process diff=own\n*.md filter=a=b diff=own merge=own\n"
        (directory / "info" / "attributes").write_text(attributes)
        (self.path / ".gitattributes").write_text(attributes)

    def spring(self) -> set[str]:
        """What plain git starts here: the proof that the trap works."""
        for command in (
            ("status",), ("log", "-1"), ("log", "-p", "-1"), ("log", "-p", "--no-ext-diff", "-2"), ("diff", "--", "cart.py"), ("diff", "--", "notes.md"),
            ("diff", "--", "web"), ("cat-file", "-p", "HEAD~1:gone.py"), ("checkout", "--", "web"),
        ):  # fmt: skip
            subprocess.run(["git", "-C", self.path, "-c", f"diff.orderFile={os.devnull}", *command], stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=STOP_S, check=False)  # fmt: skip
        self.repository.write("web/app.js", "function main() { go(1); }\n")
        return set(self.ran())
