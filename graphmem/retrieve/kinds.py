"""The kinds of memory that the search treats in its own way."""

from __future__ import annotations

TURN = "turn"
SYMBOLS = ("symbol",)
COMMITS = ("commit",)
DOCUMENTS = ("document",)
CODE_QUESTION_KINDS = frozenset((*SYMBOLS, *COMMITS, *DOCUMENTS))
"""What a question about code may ask for. The form of the question tells which."""
