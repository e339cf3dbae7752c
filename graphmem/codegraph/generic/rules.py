"""Combines the rules of the resolver. Their modules depend on the resolver, not the other way round."""

from __future__ import annotations

from graphmem.codegraph.generic import contextual, elements, handed, members, names, preprocessor, receivers, values
from graphmem.codegraph.generic.resolver import Rules

RULES = Rules(
    lookup=names.lookup,
    imported=names.imported,
    attribute=receivers.attribute,
    member=members.member,
    instance=values.instance,
    of_binding=values.of_binding,
    of_name=values.of_bare_name,
    this=receivers.this,
    extended=receivers.extended,
    values={
        **values.HANDLERS,
        "handed": handed.parameter,
        "accepts": handed.accepted,
        "expected": handed.expected,
        "context": contextual.parameter,
    },
    element=elements.element_of,
    alternatives=preprocessor.included_alternatives,
)
