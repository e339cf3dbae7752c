"""Custom entity and relation types (`[types]` in the settings): validation, and the graph labels and relations that
follow from them. Every name is validated here before it may become part of a Cypher statement."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.errors import UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MAX_NAME_CHARS = 40  # maximum characters of a name
# Built-in entity types; a custom type must not have the same name.
_TAKEN = frozenset(
    """algorithm application class command commit data_structure data_type date device error file file_type flag function issue key
    language library license number operating_system org person quantity tag time topic ui_element url value variable version
    website""".split()
)
LABELS = frozenset(
    """Artifact CallSite Category Commit Condition Cursor Document Entity Fact File Gotcha Memory Pattern Person Project Session
    Skill Snapshot Summary Symbol Tag Task TestRun Turn""".split()
)  # node labels of the graph
RELATIONS = frozenset(
    """ABOUT ASSOCIATED_WITH AUTHORED BLOCKED_BY BLOCKED_BY_SUGGESTED CALLS CHANGED CONTRADICTS DEFINES DEPENDS_ON DERIVED_FROM
    DISCOVERED_FROM DUPLICATES EVIDENCE_OF EXTENDS FAILED_IN FIXED_BY IMPLEMENTS IMPORTS MEMBER_OF MENTIONS NEXT OVERRIDES
    PART_OF PRODUCED RECORDED_IN REFERS_TO RESOLVES_TO SHARES_TAG SIMILAR_TO SOURCE_OF SUMMARIZES SUPERSEDES TAGGED TESTS
    TOUCHES USES WAITS_FOR""".split()
)
# Generic relations: a custom relation of such a name extends them.
COMMON = frozenset({"CALLS", "DEPENDS_ON", "EXTENDS", "IMPLEMENTS", "IMPORTS", "TESTS", "USES"})
# Cypher keywords, which would need backticks in queries.
_WORDS = frozenset(
    """all and any as asc ascending begin by call case cast column commit contains copy create cross default delete desc
    descending detach distinct drop else end ends exists export extension false from glob group headers hint import in
    install is join limit load macro match merge multi_join none not null on only optional or order primary profile
    return rollback set shortest single skip starts table then to true type union unwind use when where with xor""".split()
)


def label_of(name: str) -> str:
    """Return the label of an entity type: `billing_api` -> `BillingApi`."""
    return "".join(part.capitalize() for part in name.split("_"))


def relation_of(name: str) -> str:
    """Return the relation type in the graph: `runs_in` -> `RUNS_IN`."""
    return name.upper()


@dataclass(frozen=True, slots=True)
class Types:
    """Custom types: `[types.entities.NAME]` with `names` and `patterns` (regular expressions),
    `[types.relations.NAME]` with `from` and `to` (entity types) and `patterns` that contain `{from}` and `{to}`."""

    entities: Mapping[str, Any] = field(default_factory=dict)
    relations: Mapping[str, Any] = field(default_factory=dict)

    @property
    def step(self) -> str:
        """Return the name of the extraction step. It depends on the configuration, so a changed configuration
        re-reads all events. "" if no types are configured."""
        told = json.dumps([self.entities, self.relations], sort_keys=True)
        return f"typed/{hashlib.sha256(told.encode()).hexdigest()[:12]}" if self.entities else ""

    @property
    def labels(self) -> list[str]:
        """Return the labels of the entity types, in order."""
        return [label_of(name) for name in self.entities]

    @property
    def ends(self) -> dict[str, tuple[str, str]]:
        """Return the labels that each relation type connects."""
        return {
            relation_of(name): (label_of(spec["from"]), label_of(spec["to"])) for name, spec in self.relations.items()
        }

    def fitted(self, cypher: str) -> str:
        """Extend an internal query: `:Entity` also matches custom entity types, `:RELATES` custom relations."""
        relations = (
            "|".join(f"`{relation}`" for relation in self.ends) or "DEPENDS_ON"
        )  # matches nothing: entities have none
        return extend_query(cypher, self.labels).replace(":RELATES", f":{relations}")


def extend_query(cypher: str, labels: Iterable[str]) -> str:
    """Extend an internal query so that `:Entity` also matches those of these labels that are custom types."""
    own = "".join(f":`{label}`" for label in labels if label not in LABELS)
    return re.sub(r":Entity\b", f":Entity{own}", cypher) if own else cypher


def types_of(given: Any) -> Types:
    """Parse the custom types of a configuration. Raises UsageError that names the invalid type."""
    if not isinstance(given, Mapping) or given.keys() - {"entities", "relations"}:
        raise UsageError(
            "setting `types`: may only contain `types.entities.NAME` and `types.relations.NAME`", key="types"
        )
    entities, relations = given.get("entities", {}), given.get("relations", {})
    for key, name, spec in _tables("entities", entities):
        _check_keys(key, spec, {"names", "patterns"})
        _check_free(key, name, label_of(name), LABELS | RELATIONS)
    for key, name, spec in _tables("relations", relations):
        _check_keys(key, spec, {"from", "to", "patterns"})
        _check_relation(key, spec, entities)
        _check_free(key, name, relation_of(name), (RELATIONS - COMMON) | LABELS)
    _check_distinct(entities, relations)
    return Types(dict(entities), dict(relations))


def _tables(kind: str, group: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for name, spec in group.items() if isinstance(group, Mapping) else [("", None)]:
        key = f"types.{kind}.{name}".rstrip(".")
        if not isinstance(spec, Mapping) or not _NAME.fullmatch(name) or not 2 <= len(name) <= _MAX_NAME_CHARS:
            raise _wrong(key, "must be a table with a unique lower-case name, such as `service`")
        yield key, name, spec


def _check_keys(key: str, spec: Mapping[str, Any], known: set[str]) -> None:
    if spec.keys() - known:
        raise _wrong(f"{key}.{min(spec.keys() - known)}", f"unknown setting; allowed are {', '.join(sorted(known))}")
    lists = [spec.get(name, []) for name in ("names", "patterns")]
    if not all(isinstance(texts, list | tuple) for texts in lists) or not any(lists):
        raise _wrong(key, "needs `names` or `patterns`, lists of texts")
    if not all(isinstance(text, str) and text.strip() for texts in lists for text in texts):
        raise _wrong(key, "needs `names` or `patterns`, lists of texts")
    for pattern in spec.get("patterns", ()):
        try:
            matched = re.compile(re.sub(r"\{(?:from|to)\}", "x", pattern)).match("")
        except re.error as error:
            raise _wrong(f"{key}.patterns", f"`{pattern}` is not a valid regular expression: {error}") from error
        if matched:
            raise _wrong(f"{key}.patterns", f"`{pattern}` matches the empty text")


def _check_relation(key: str, spec: Mapping[str, Any], entities: Mapping[str, Any]) -> None:
    for end in ("from", "to"):
        if spec.get(end) not in entities:
            known = ", ".join(entities) or "(none is configured)"
            raise _wrong(f"{key}.{end}", f"must be one of the entity types {known}")
    for pattern in spec.get("patterns", ()):
        if "{from}" not in pattern or "{to}" not in pattern:
            raise _wrong(f"{key}.patterns", f"`{pattern}` must hold both {{from}} and {{to}}")


def _check_free(key: str, name: str, label: str, taken: frozenset[str]) -> None:
    """Check that a label is unused, ignoring case as the engine does."""
    if name in _TAKEN or label.lower() in {other.lower() for other in taken}:
        raise _wrong(key, f"`{label}` is already used by the graph: choose another name")
    if label.lower() in _WORDS:
        raise _wrong(key, f"`{label}` is a Cypher keyword: choose another name")


def _check_distinct(entities: Mapping[str, Any], relations: Mapping[str, Any]) -> None:
    known: dict[str, str] = {}
    for kind, group, called in (("entities", entities, label_of), ("relations", relations, relation_of)):
        for name in group:
            label = called(name)
            if known.setdefault(label.lower(), name) != name or (kind == "relations" and name in entities):
                raise _wrong(
                    f"types.{kind}.{name}", f"`{label}` is the name of another custom type: choose another name"
                )


def _wrong(key: str, why: str) -> UsageError:
    return UsageError(f"setting `{key}`: {why}", key=key)
