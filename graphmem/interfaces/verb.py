"""What a verb is: a name and a function whose signature is the interface."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_FLAG = re.compile(r"`graphmem [^`]*`|(?<![\w`-])--([a-z]\w*(?:-\w+)*)|`--([a-z]\w*(?:-\w+)*)`")


@dataclass(frozen=True, slots=True)
class Verb:
    """One row. `call` takes the open memory first; `writes` says that it changes the store, `agent` that MCP offers it,
    `local` that it needs the machine's files (never over HTTP); `failed` tells of a result that the command ends with
    status 1 after showing it. A name of two words is a command of a group."""

    name: str
    call: Callable[..., Any]
    writes: bool = False
    agent: bool = False
    local: bool = False
    tool: str = ""  # its name as a tool of agents, where that is not its own
    failed: Callable[[Any], bool] = lambda result: False

    @property
    def help(self) -> str:
        """The first paragraph of the function's docstring."""
        return (self.call.__doc__ or "").split("\n\n")[0].strip()


@dataclass(frozen=True, slots=True)
class Noted:
    """A result with a sentence that its reader should know: shown below it, and as `meta.note` in JSON."""

    value: Any
    note: str


def plain(result: Any) -> tuple[Any, str]:
    """A result and its note, "" where it has none."""
    return (result.value, result.note) if isinstance(result, Noted) else (result, "")


def unflagged(text: str) -> str:
    """A sentence for programs that call verbs by name: `--as-of`, as one types it, is the parameter `as_of`."""

    def named(found: re.Match[str]) -> str:
        flag = found[1] or found[2]
        return f"`{flag.replace('-', '_')}`" if flag else found[0]  # a whole command stays one

    return _FLAG.sub(named, text)
