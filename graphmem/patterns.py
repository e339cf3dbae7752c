"""Regular expressions that are compiled at their first use. Whoever opens a store imports hundreds of patterns and uses few of
them: compiling all would take more than a third of the start of a command or an owner."""

from __future__ import annotations

import re
from typing import Any, cast


class _Uncompiled:
    """Takes the place of a compiled pattern. Each method is looked up once, then it is an attribute of this object."""

    _compiled: re.Pattern[str] | None = None

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns, but compile it when one of its methods is used. Functions of `re` do not take it."""
    return cast("re.Pattern[str]", _Uncompiled(pattern, flags))
