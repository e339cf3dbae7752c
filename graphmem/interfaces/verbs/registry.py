"""The table of all verbs (commands). Command line, MCP and HTTP are generated from it, so a verb has the same name,
parameters and help everywhere."""

from __future__ import annotations

from graphmem.interfaces.verbs.browse import BROWSE
from graphmem.interfaces.verbs.code import CODE
from graphmem.interfaces.verbs.endless import ENDLESS
from graphmem.interfaces.verbs.general import GENERAL
from graphmem.interfaces.verbs.memify import MEMIFY
from graphmem.interfaces.verbs.review import REVIEW
from graphmem.interfaces.verbs.shared import SHARED
from graphmem.interfaces.verbs.tasks import TASKS
from graphmem.interfaces.verbs.tree import TREE
from graphmem.interfaces.verbs.verb import Verb

VERBS: tuple[Verb, ...] = (
    *GENERAL,
    *BROWSE,
    *REVIEW,
    *MEMIFY,
    *TASKS,
    *SHARED,
    *CODE,
    *TREE,
    *ENDLESS,
)
