"""Shared code of encoders and rerankers: a lazily loaded model of an optional library, and a network in an ONNX file with
its tokenizer."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.errors import UsageError


class LibraryModel(ABC):
    """A model of an optional library."""

    _module: str
    _extra: str
    _default: str

    def __init__(self, model: str = "") -> None:
        self._name = model or self._default

    @property
    def name(self) -> str:
        """Return the library and the model name."""
        return f"{self._extra}-{self._name}"

    @cached_property
    def _model(self) -> Any:
        try:
            library = importlib.import_module(self._module)
        except ImportError as error:
            raise UsageError(
                f"{self._module} is missing: pip install '.[{self._extra}]' in the clone of graphmem"
            ) from error
        return self._load(library)

    @abstractmethod
    def _load(self, library: Any) -> Any: ...


class OnnxFile:
    """An ONNX network on the CPU. The file is read on first use."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _session(self) -> Any:
        try:
            import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise UsageError("onnxruntime is missing: pip install '.[onnx]' in the clone of graphmem") from error
        return onnxruntime.InferenceSession(str(self._file), providers=["CPUExecutionProvider"])

    def run(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the first output, for those inputs that the network has. Raises UsageError without onnxruntime."""
        wanted = {one.name for one in self._session.get_inputs()}
        found: np.ndarray = self._session.run(None, {name: value for name, value in inputs.items() if name in wanted})[
            0
        ]
        return found


def tokenizer_of(file: Path, longest: int, **truncation: Any) -> Any:
    """Return the tokenizer of a `tokenizer.json`, truncating at this many tokens."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(longest, **truncation)
    return tokenizer
