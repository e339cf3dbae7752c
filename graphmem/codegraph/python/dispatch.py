"""Connects the parts of the abstract machine: handlers of operations, and what calls need of attributes, containers,
built-in functions and annotations."""

from __future__ import annotations

from graphmem.codegraph.python import attributes, builtin_calls, containers, generics, operations
from graphmem.codegraph.python.machine import Dispatch

DISPATCH = Dispatch(
    operations=operations.HANDLERS,
    special_method=attributes.special_method,
    call_external=builtin_calls.call_external,
    call_container=containers.call_method,
    call_row_method=containers.call_row_method,
    infer_result=generics.infer_result,
    infer_instance=generics.infer_instance,
)
