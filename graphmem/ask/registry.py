"""Which operation answers which type of question. The names are those of `types.QUESTION_TYPES`."""

from __future__ import annotations

from graphmem.ask import accesses, commits, operations, structure
from graphmem.ask.configuration import find_configuration
from graphmem.ask.defaults import find_default
from graphmem.ask.environment import find_environment
from graphmem.ask.evidence import Operation
from graphmem.ask.extending import find_extension
from graphmem.ask.members import find_new_member, find_one_more
from graphmem.ask.notes import find_notes
from graphmem.ask.people import find_owners
from graphmem.ask.release_dates import find_release_date
from graphmem.ask.releases import find_releases, find_unreleased
from graphmem.ask.removals import find_removal
from graphmem.ask.settings_read import find_settings

OPERATIONS: dict[str, Operation] = {
    "callees": structure.find_callees,
    "implementations": structure.find_implementations,
    "path": structure.find_path,
    "unused": structure.find_unused,
    "api changes": structure.find_api_changes,
    "environment": find_environment,
    "settings": find_settings,
    "cochange": structure.find_cochange,
    "commits": commits.find_commits,
    "new member": find_new_member,
    "configuration": find_configuration,
    "additions": find_one_more,
    "extension": find_extension,
    "last change": structure.find_last_change,
    "importers": operations.find_importers,
    "tests": operations.find_tests,
    "impact": accesses.find_dependents,
    "callers": operations.find_callers,
    "introduced": operations.find_introduction,
    "removed": find_removal,
    "owners": find_owners,
    "unreleased": find_unreleased,
    "release date": find_release_date,
    "default": find_default,
    "releases": find_releases,
    "revisions": operations.find_changes,
    "notes": find_notes,
    "decided": operations.find_decisions,
    "where": operations.find_definition,
    "task": operations.find_tasks,
    "facts": operations.find_facts,
    "reads": accesses.find_reads,
    "writes": accesses.find_writes,
    "constructions": accesses.find_constructions,
    "overrides": accesses.find_overrides,
    "routes": structure.find_routes,
    "cycles": structure.find_cycles,
}
