"""Finds the values of Kubernetes secrets, whose names need not tell that they are secret. Other documents, and sealed
secrets, which are encrypted, are left alone."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.model.text import Span
from graphmem.privacy.judge import is_placeholder
from graphmem.privacy.patterns import compile_pattern

KIND = r"(?m)^[ \t]*kind:[ \t]{0,4}[\"']?Secret[\"']?[ \t]*\r?$"
BLOCK = r"(?m)^([ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\r?\n){1,2000})"
VALUE = r"(?m)^[ \t]+[\w.\"'-]{1,120}:[ \t]{1,8}[\"']?([^\s\"'|>#][^\r\n\"']{3,16384})[\"']?[ \t]*\r?$"
LONGEST = 65_536  # characters of a document on either side of its kind


def secret_values(text: str) -> Iterator[Span]:
    """Yield spans of the values under `data` and `stringData` in YAML documents of the kind Secret."""
    if "Secret" not in text or "kind:" not in text:
        return
    done = 0
    for kind in compile_pattern(KIND).finditer(text):
        if kind.start() < done:
            continue
        start = text.rfind("\n---", max(done, kind.start() - LONGEST), kind.start())
        start = max(done, kind.start() - LONGEST) if start < 0 else start + 1
        done = text.find("\n---", kind.end(), kind.end() + LONGEST)
        done = min(len(text), kind.end() + LONGEST) if done < 0 else done
        for block in compile_pattern(BLOCK).finditer(text, start, done):
            for value in compile_pattern(VALUE).finditer(text, *block.span(2)):
                if not is_placeholder(value[1]):
                    yield Span(*value.span(1), "kubernetes_secret")
