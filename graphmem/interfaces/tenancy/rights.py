"""What a caller of a shared server may do: rights on projects, in order, and the caller that a token or login stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from graphmem.errors import AccessDenied, UsageError

Visibility = Literal["private", "team"]
VISIBILITIES: tuple[Visibility, ...] = ("private", "team")
EVERY = "*"  # in the place of a project: all of them
HOST = "host:"  # the audit log has `host:USER` in the place of an account for commands on the host
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class Right(IntEnum):
    """A right includes those below it. `WRITE`: write to the team and to one's private store. `ADMIN`: also forget and
    maintain what others wrote in the team store, and read the audit log."""

    READ = 1
    WRITE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """Return the name that users know: read, write or admin."""
        return self.name.lower()


def right_named(word: str) -> Right:
    """Return a right by its name. Raises UsageError."""
    try:
        return Right[word.upper()]
    except KeyError:
        raise UsageError(f"`{word}` is not a right: choose read, write or admin", right=word) from None


def check_name(what: str, name: str) -> str:
    """Return the name of an account or project if it can be part of a path. Raises UsageError."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise UsageError(
            f"`{name}` is no name of {what}: use up to 64 lower-case letters, digits, dots, dashes and underscores",
            name=name,
        )
    return name


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: an account by its name and permanent id, and what it may do in each project. `credential` is the id of the
    token; "" for a login without one. `expires` is when that token ends (seconds since 1970, None if never)."""

    account: str
    id: str
    rights: Mapping[str, Right]
    credential: str = ""
    label: str = ""
    expires: float | None = None

    def right(self, project: str) -> Right | None:
        """Return the right on a project, or None."""
        return max(filter(None, (self.rights.get(project), self.rights.get(EVERY))), default=None)

    def require(self, project: str, right: Right) -> None:
        """Raise AccessDenied without this right. The message is the same for a project that does not exist."""
        own = self.right(project)
        if own is None:
            raise AccessDenied(
                f"no access to a project `{project}`: ask an administrator of the server", project=project
            )
        if own < right:
            raise AccessDenied(
                f"this needs the right to {right.word} in `{project}`, and this token may only {own.word}: ask an"
                " administrator of the server",
                project=project,
                right=right.word,
            )
