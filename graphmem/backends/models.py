"""What encoders and rerankers share: a model of an optional library, loaded at first use, and a network in an ONNX file with its
tokenizer. What is read and what the numbers mean is theirs."""

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
        """The library and the model."""
        return f"{self._extra}-{self._name}"

    @cached_property
    def _model(self) -> Any:
        try:
            library = importlib.import_module(self._module)
        except ImportError as error:
            raise UsageError(f"{self._module} is missing: pip install 'graphmem[{self._extra}]'") from error
        return self._load(library)

    @abstractmethod
    def _load(self, library: Any) -> Any: ...


class OnnxFile:
    """A network on the processor. The file is read at first use."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _session(self) -> Any:
        try:
            import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise UsageError("onnxruntime is missing: pip install 'graphmem[onnx]'") from error
        return onnxruntime.InferenceSession(str(self._file), providers=["CPUExecutionProvider"])

    def run(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The first output, of those inputs that the network has. Raises UsageError without onnxruntime."""
        wanted = {one.name for one in self._session.get_inputs()}
        found: np.ndarray = self._session.run(None, {name: value for name, value in inputs.items() if name in wanted})[
            0
        ]
        return found


def tokenizer_of(file: Path, longest: int, **truncation: Any) -> Any:
    """The tokenizer of a `tokenizer.json` that cuts what is longer than so many tokens."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(longest, **truncation)
    return tokenizer
