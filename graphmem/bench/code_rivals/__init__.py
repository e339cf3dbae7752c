"""Adapters for other code indexes, one module each, for `graphmem bench compare-code`. A module has:

- `# pip:`, `# npm:` or `# apt:`: the package with its pinned version, then packages that it needs at a pinned version
- PROGRAM, and VERSION (the words that print its version, by default `--version`)
- COMMANDS: the words of each command that indexes the tree in the working directory; ENVIRONMENT, if they need any
- `calls(tree, ask)`: yields the resolved calls that this left behind. `ask(*words)` runs the program in the tree and returns what
  it prints. Without it, the program knows no calls, or did not run here.

An adapter runs a program and never imports it: rivals need packages that exclude each other."""

from __future__ import annotations

from typing import Protocol


class Ask(Protocol):
    """Runs the program in the indexed tree with these words and returns its standard output."""

    def __call__(self, *words: str) -> str: ...
