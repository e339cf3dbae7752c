"""The record `Verb`: a command that the command line, MCP and HTTP all offer. Its function's signature is the
interface."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_FLAG = re.compile(r"`graphmem [^`]*`|(?<![\w`-])--([a-z]\w*(?:-\w+)*)|`--([a-z]\w*(?:-\w+)*)`")


@dataclass(frozen=True, slots=True)
class Verb:
    """One command. `call` takes the open `Memory` first. `writes`: it changes the store. `agent`: MCP offers it.
    `local`: it needs files of this machine, so HTTP does not offer it. `failed`: whether a result makes the command
    exit with status 1 after printing it. A name of two words is a command in a group."""

    name: str
    call: Callable[..., Any]
    writes: bool = False
    agent: bool = False
    local: bool = False
    tool: str = ""  # name of its MCP tool, if different
    failed: Callable[[Any], bool] = lambda result: False

    @property
    def help(self) -> str:
        """Return the first paragraph of the function's docstring."""
        return (self.call.__doc__ or "").split("\n\n")[0].strip()


def unflagged(text: str) -> str:
    """Replace command-line flags in a text by parameter names: `--as-of` becomes `as_of`."""

    def named(found: re.Match[str]) -> str:
        flag = found[1] or found[2]
        return f"`{flag.replace('-', '_')}`" if flag else found[0]  # keep whole commands

    return _FLAG.sub(named, text)
