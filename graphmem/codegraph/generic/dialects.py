"""Tells headers of C++ from headers of C: both are named `.h`, and the C grammar cannot read a class."""

from __future__ import annotations

import re

_CPP_ONLY = re.compile(
    rb"^[ \t]*(?:namespace[ \t]+\w[\w:]*[ \t]*\r?\n?[ \t]*\{|template[ \t]*<|(?:public|private|protected)[ \t]*:"
    rb"|class[ \t]+\w[\w \t]{0,200}(?::(?!:)|;|\r?\n?[ \t]*\{)|using[ \t]+(?:namespace\b|[\w:]+[ \t]*[=;]))",
    re.M,
)
_FOR_BOTH = re.compile(rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus\b")


def header_language(name: str, path: str, source: bytes) -> str:
    """Return "cpp" for a header that only C++ can include; otherwise `name`, the language by the file's name."""
    if name != "c" or not path.endswith(".h") or _CPP_ONLY.search(source) is None:
        return name
    return name if _FOR_BOTH.search(source) is not None else "cpp"
