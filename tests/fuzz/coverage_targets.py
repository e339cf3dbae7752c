"""What coverage-guided fuzzing calls with bytes: parsers, importers, aligner, redactor, Cypher guard and the protocol of the owner.
Each target raises if the code under test does what it must not. Run one with atheris:

    python tests/fuzz/coverage_targets.py NAME CORPUS_FOLDER -max_total_time=60 -max_len=4096

A crash is written to the folder as `crash-…`: add its bytes to SEEDS below."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from graphmem import align, redact
from graphmem.backends.remote.messages import codec_of
from graphmem.codegraph.worker import parse_source
from graphmem.errors import GraphmemError
from graphmem.extract.chats.programs import PROGRAMS
from graphmem.extract.chats.turns import ImportContext
from graphmem.model.sources import IngestReport
from graphmem.operations.vocabulary import RECORDS
from graphmem.text.cypher import check_read_only

LANGUAGES = {
    "python": "py", "javascript": "js", "typescript": "ts", "go": "go", "rust": "rs", "java": "java", "c": "c", "cpp": "cpp",
    "ruby": "rb", "php": "php", "kotlin": "kt", "bash": "sh",
}  # fmt: skip
CODEC = codec_of(RECORDS)
_LONGEST = 20_000  # characters of a text: the aligner is given more by nobody


def _choice(data: bytes, values: list[str]) -> tuple[str, bytes]:
    """The value that the first byte chooses, and the rest."""
    return values[data[0] % len(values)] if data else values[0], data[1:]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")[:_LONGEST]


def parser(data: bytes) -> None:
    """A source file in any language is parsed without an error, and its symbols lie in it."""
    language, source = _choice(data, sorted(LANGUAGES))
    parsed = parse_source(f"lib/file.{LANGUAGES[language]}", source, language)
    lines = source.count(b"\n") + source.count(b"\r") + source.count(b"\x0c") + 1
    for symbol in parsed.facts.symbols if parsed.facts else ():
        assert 1 <= symbol.line <= symbol.end_line <= lines + 1, symbol


def importer(data: bytes) -> None:
    """A file of any chat program is read, or refused in a sentence."""
    name, content = _choice(data, sorted(PROGRAMS))
    with tempfile.TemporaryDirectory() as folder:
        suffix = PROGRAMS[name].patterns[0].rpartition(".")[2] if PROGRAMS[name].patterns else "json"
        file = Path(folder) / f"chat.{suffix}"
        file.write_bytes(content)
        try:
            for draft in PROGRAMS[name].read(file, ImportContext("demo", IngestReport("sessions"))):
                json.dumps(draft.payload, default=str)
        except GraphmemError as refused:
            assert str(refused)


def aligner(data: bytes) -> None:
    """A quote is found in the text, and a part of the text is found where it reads the same."""
    half = len(data) // 2
    text, quote = _text(data[:half]), _text(data[half:])
    found = align(text, quote)
    assert found is None or 0 <= found.start < found.end <= len(text)
    part = text[len(text) // 3 : len(text) // 3 + 40]
    if part.strip():
        placed = align(text, part)
        assert placed is not None and text[placed.start : placed.end].strip() == part.strip()


def redactor(data: bytes) -> None:
    """A second pass finds nothing, and the spans follow each other inside of the text."""
    text = _text(data)
    hidden = redact(text)
    assert redact(hidden.text).text == hidden.text, "a second pass finds more"
    ends = [0, *(end for span in hidden.spans for end in (span.start, span.end)), len(text)]
    assert ends == sorted(ends), "spans overlap or leave the text"


def cypher(data: bytes) -> None:
    """A query that passes does not pass with a writing clause behind it."""
    query = _text(data)
    try:
        check_read_only(query)
    except GraphmemError:
        return
    for clause in ("DELETE n", "SET n.title = 1", "CREATE (m:Task)"):
        try:
            check_read_only(f"{query}\n{clause}")
        except GraphmemError:
            continue
        raise AssertionError(f"a query that writes passes: {clause}")


def protocol(data: bytes) -> None:
    """A message is decoded or refused, and what was decoded survives the way back."""
    try:
        value = CODEC.decode(data)
    except GraphmemError:
        return
    line = CODEC.encode(value)
    again = CODEC.encode(CODEC.decode(line))
    assert again == line


TARGETS: dict[str, Callable[[bytes], None]] = {
    "parser": parser, "importer": importer, "aligner": aligner, "redactor": redactor, "cypher": cypher, "protocol": protocol
}  # fmt: skip
# Where fuzzing starts, and what once failed.
SEEDS: dict[str, list[bytes]] = {
    "parser": [
        b"".join((bytes([number]), source))
        for number in range(len(LANGUAGES))
        for source in (b"class A { int f(int x) { return g(x); } }\n", b"def f(x):\n    return g(x)\n", b"fn f() { g(\"\xed\x95\x9c\") }\n")
    ],
    "importer": [
        bytes([number]) + record
        for number in range(len(PROGRAMS))
        for record in (
            b'{"role": "user", "content": "hello"}\n',
            b'{"sessionId": "s", "type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "x"}]}, "timestamp": "2026-01-01T00:00:00Z"}\n',
            b'[{"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["x"]}, "create_time": 1}}}}]',
        )
    ],
    "aligner": [b"The anchor chain holds. The anchor chain", "닻 사슬이 버틴다. 사슬이".encode(), b"a\n\n b\tb"],
    "redactor": [
        b"API_KEY=abcdEFGH1234ijklMNOP5678", b"Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", b"<private>x</private> y",
        b"password: hunter2, user: ann", "비밀번호는 qwer1234!".encode(), b'{"secret": "c2VjcmV0LXZhbHVlLXNlY3JldA=="}',
    ],
    "cypher": [
        b"MATCH (n:Task) RETURN n.title", b"MATCH (a)-[r*1..3]->(b) WHERE a.x = 'it''s' RETURN b /* c */ LIMIT 5 // end",
        b"WITH 1 AS x RETURN `x` ORDER BY x", b'UNWIND ["a", "b\\"c"] AS x RETURN x',
    ],
    "protocol": [CODEC.encode({"a": [1, 2.5, None, True, "x", b"y", (1,), {2}, {3: 4}]}), b'[1,"Hello",1]', b"[13]", b"[0,[0,[0]]]"],
}  # fmt: skip


def main() -> None:
    """Fuzz the target that the first argument names; the others are those of libFuzzer."""
    import atheris

    name, *rest = sys.argv[1:]
    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *rest], lambda data: TARGETS[name](bytes(data)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
