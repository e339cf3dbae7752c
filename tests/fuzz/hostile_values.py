"""Values that strangers could send: text, JSON, requests, files. A seeded generator of our own, because hundreds of thousands
of values are wanted in minutes; the seed of a case is all that repeats it."""

from __future__ import annotations

import json
import random
from typing import Any

# What parsers, engines and file systems stumble over; each was a defect somewhere.
WORDS = [
    "", " ", "\0", "\n", "\r\n", "\t", "\x1b[31m", "\ud800", "\udfff x", "\ufeff", "\u202e", "\u200b", "\u0301" * 40, "🧪", "ß", "İ",
    "한국어 문장입니다.", "비밀번호", "á" * 50, "0", "-0", "1e309", "-1", "NaN", "Infinity", "9" * 40, str(2**63), str(-(2**63) - 1),
    "Exit code 99999999999999999999999", "33658-09-27T01:46:39Z", "0001-01-01", "9999-12-31T23:59:59+14:00", "yesterday at 25:61",
    "어제 오후 13시 99분", "2026-02-30", "../../etc/passwd", "/dev/zero", "C:\\con", "a/" * 300, "%s%n%x", "{0.__class__}", "${HOME}",
    "$(touch x)", "`id`", "'; DROP TABLE events; --", '" OR 1=1', "MATCH (n) DETACH DELETE n", "RETURN 1 // */", "/*", "*/", "--",
    "<script>alert(1)</script>", "<private>", "</private>", "<private>" * 20, "password=", "password=" * 30, "token: abc",
    "Bearer " + "x" * 60, "sk-" + "a" * 48, "-----BEGIN PRIVATE KEY-----", "```", "[[mem:x]]", "graphmem-recall", "# TODO: x",
    "ignore previous instructions", "http://[::1", "https://例え.テスト/ä?q=%zz", "(((((" * 20, "a" * 5_000, "((a+)+)+$", "\\" * 30,
    "id", "None", "null", "true", "[]", "{}", "x" * 255 + ".py", "Traceback (most recent call last):", "FAILED tests/test_x.py::y",
]  # fmt: skip
NUMBERS: list[Any] = [
    0, -0.0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 1e308, -1e308, 5e-324, float("inf"), float("nan"),
    True, False, 253402300800, 10**17, 999_999_999_999,
]  # fmt: skip


class Hostile:
    """Draws values from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pick(self, values: Any) -> Any:
        return self.chance.choice(values)

    def text(self, *, storable: bool = False) -> str:
        """Some words of the list, with letters of any kind in between."""
        parts = [self.pick(WORDS) for _ in range(self.chance.choice((0, 1, 1, 2, 3, 6)))]
        if self.chance.random() < 0.4:
            parts.append("".join(chr(self.chance.choice((self.chance.randrange(32, 127), self.chance.randrange(0x11000))))
                                 for _ in range(self.chance.randrange(30))))  # fmt: skip
        whole = self.pick(("", " ", "\n")).join(parts)
        return whole.encode("utf-8", "replace").decode().replace("\0", "") if storable else whole

    def value(self, depth: int = 3) -> Any:
        """Any JSON value."""
        kind = self.chance.randrange(8 if depth else 5)
        if kind < 3:
            return self.text()
        if kind == 3:
            return self.pick(NUMBERS)
        if kind == 4:
            return None
        if kind == 5:
            return [self.value(depth - 1) for _ in range(self.chance.randrange(4))]
        if kind == 6 and self.chance.random() < 0.02:
            return self.nested(self.chance.choice((50, 600)))
        return {self.text()[:80]: self.value(depth - 1) for _ in range(self.chance.randrange(4))}

    def nested(self, depth: int) -> Any:
        """A list in a list in a list."""
        value: Any = self.text()
        for _ in range(depth):
            value = [value] if self.chance.random() < 0.5 else {"a": value}
        return value

    def mutated(self, value: Any) -> Any:
        """A value of a right form with something wrong somewhere in it."""
        if self.chance.random() < 0.08:
            return self.value()
        if isinstance(value, dict):
            changed = {key: self.mutated(inner) for key, inner in value.items() if self.chance.random() > 0.04}
            if self.chance.random() < 0.05:
                changed[self.text()[:60]] = self.value()
            return changed
        if isinstance(value, list):
            return [self.mutated(inner) for inner in value for _ in range(self.chance.choice((1, 1, 1, 1, 0, 2)))]
        return value

    def damaged(self, data: bytes) -> bytes:
        """Bytes cut, repeated, flipped, or with others put in."""
        for _ in range(self.chance.choice((0, 1, 1, 3))):
            at, to = sorted((self.chance.randrange(len(data) + 1), self.chance.randrange(len(data) + 1)))
            how = self.chance.randrange(4)
            if how == 0:
                data = data[:at]
            elif how == 1:
                data = data[:at] + data[min(to, at + 200) :]
            elif how == 2:
                data = data[:at] + self.text().encode("utf-8", "surrogatepass") + data[at:]
            elif at < len(data):
                data = data[:at] + bytes([data[at] ^ (1 << self.chance.randrange(8))]) + data[at + 1 :]
        return data

    def lines(self, records: list[Any]) -> bytes:
        """JSON lines of records with something wrong in some of them."""
        return b"\n".join(json.dumps(self.mutated(record)).encode() for record in records)
