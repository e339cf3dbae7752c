"""The fixture of injections: how its texts are hidden, and its two halves."""

from __future__ import annotations

import base64
import codecs
import re
import tomllib
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parents[3] / "fixtures" / "injections"
HALVES = ("seen", "held_out")


def cases(half: str) -> list[tuple[str, str]]:
    """(kind, text) of one half."""
    with (FOLDER / f"{half}.toml").open("rb") as file:
        found = tomllib.load(file)["case"]
    return [(case["kind"], hide(case["text"], case.get("hide", ""))) for case in found]


def hide(text: str, how: str) -> str:
    """The text with what stands between [[ and ]] written as `how` says."""
    return re.sub(r"\[\[(.*?)\]\]", lambda match: _HIDERS[how](match[1]), text) if how else text


def _zero_width(text: str) -> str:
    bits = "".join(f"{byte:08b}" for byte in text.encode())
    return bits.replace("0", "\u200b").replace("1", "\u200c")


def _variation(text: str) -> str:
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in text.encode())


_HIDERS = {
    "tags": lambda text: "".join(chr(0xE0000 + ord(char)) for char in text),
    "zero_width": _zero_width,
    "variation": _variation,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "url": lambda text: quote(text, safe=""),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "escapes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text),
}
