"""Connects the parts of the abstract machine: handlers of operations, and what calls need of attributes, containers,
built-in functions and annotations."""

from __future__ import annotations

from graphmem.codegraph.python import attributes, builtin_calls, containers, generics, operations
from graphmem.codegraph.python.machine import Dispatch

DISPATCH = Dispatch(
    operations=operations.HANDLERS,
    special=attributes.special_method,
    call_external=builtin_calls.call_external,
    call_container=containers.call_method,
    call_row=containers.call_row_method,
    promised=generics.infer_result,
    constructed=generics.infer_instance,
)
