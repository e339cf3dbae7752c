"""Handles invisible characters that programs read: tag characters, bidirectional overrides, runs of zero-width characters
and variation selectors, and look-alike letters of other scripts."""

from __future__ import annotations

import re
import unicodedata

from graphmem.patterns import compile_later

_ZERO = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u00ad\u034f\u115f\u1160\u3164\uffa0"
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_OVERRIDES = "\u202a\u202b\u202d\u202e"  # embed or override a direction
_ISOLATES = "\u2066\u2067\u2068\u2069\u202c\u200e\u200f\u061c"
_ANY = compile_later(f"[{_ZERO}{_TAGS}{_SELECTORS}{_OVERRIDES}{_ISOLATES}]")
_FLAG = compile_later("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")  # flags of England, Scotland, Wales
_TAGGED = compile_later(f"[{_TAGS}]")
_RUN = compile_later(f"[{_ZERO}]{{4,}}")
_SELECTED = compile_later(f"[{_SELECTORS}]{{2,}}|[a-zA-Z0-9 ][\U000e0100-\U000e01ef]")
_RTL = compile_later("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_JOINS = compile_later(
    "\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])|[\ufe0e\ufe0f](?!\ufe0f)|[\u200c\u200d](?=[\u0600-\u0dff])"
)
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03b1\u03bd\u03c1\u03b9\u03ba\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0261\u0131\u2170\u217c\u2113\u217e\u217f",
    "aeopcyxijshd" "ABEKMHOPCTXIJS" "oavpik" "ABEZHIKMNOPTYX" "gi" "ill" "dm",
)  # fmt: skip
# Letters of other scripts, and small capitals, that stand for Latin ones where whole words are written in them.
_STANDS_FOR = str.maketrans(
    "авгекмнопрстухьѕіїјԁԛԝѵёһґүιαβγεηκμνορστυχωϲϳօոսցհզաꭰᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᏃɑɡɩɪɴɢʀʏʙʜʟᴀᴄᴅᴇꜰᴊᴋᴍᴏᴘꜱᴛᴜᴠᴡᴢıłøđħ",
    "abrekmhonpctyxbsiijdqwvehryiabyenkuvopotuxwcjonughqwdABCDEGHJKLMPRSTVWZagiingrybhlacdefjkmopstuvwzilodh",
)
_STANDING = compile_later("[\u00c0-\u058f\u1d00-\u1eff\u13a0-\u13ff\ua730\ua731\uab70-\uabbf]")
_ACCENTED = compile_later("[\u00c0-\u024f\u1e00-\u1eff]+")
# What a terminal obeys: control characters but for tab and end of line, and what turns the direction of writing.
_OBEYED = compile_later("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WORD = compile_later(r"\w{2,}")
_LATIN = compile_later(r"[A-Za-z]")
_ALIEN = compile_later(r"[\u0370-\u052f\u0261\u0131\u2113\u2170-\u217f]")


def hides_text(text: str) -> bool:
    """Return whether a text contains invisible characters that no script or emoji needs."""
    if text.isascii() or not _ANY.search(text):
        return False
    plain = _FLAG.sub("", text)
    if _TAGGED.search(plain) or _RUN.search(plain) or _SELECTED.search(plain):
        return True
    return not _RTL.search(plain) and bool(re.search(f"[{_OVERRIDES}\u2066\u2067\u2068]", plain))


def reveal_tags(text: str) -> str:
    """Return the text written in tag characters, or in variation selectors that encode bytes."""
    if text.isascii() or not _ANY.search(text):
        return ""
    tagged = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    raw = bytes(
        ord(char) - 0xFE00 if ord(char) < 0xFE10 else ord(char) - 0xE0100 + 16 for char in text if _is_selector(char)
    )
    return f"{tagged} {raw.decode('utf-8', 'replace') if len(raw) > 3 else ''}".strip()


def _is_selector(char: str) -> bool:
    return 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF


def strip_hidden(text: str) -> str:
    """Remove invisible characters, so that an agent gets only what a person sees. Joiners of emoji and of scripts that
    need them are kept."""
    if text.isascii() or not _ANY.search(text):
        return text
    kept = {match.start() for match in _JOINS.finditer(text)}
    flags = {place for match in _FLAG.finditer(text) for place in range(*match.span())}
    rtl = bool(_RTL.search(text))

    def drop(match: re.Match[str]) -> str:
        place = match.start()
        if place in flags or (
            place in kept and not (match[0] in "\ufe0e\ufe0f" and place and _is_selector(text[place - 1]))
        ):
            return match[0]
        return match[0] if rtl and match[0] in "\u200e\u200f\u061c" else ""

    return _ANY.sub(drop, text)


def unmask(text: str) -> str:
    """Return the text as read: compatibility forms as plain letters, without invisible characters, look-alike letters in
    Latin words replaced."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", _ANY.sub("", text))
    return _WORD.sub(lambda match: _fold_mixed(match[0]), plain) if _ALIEN.search(plain) else plain


def _fold_mixed(word: str) -> str:
    """Return a word with its look-alike letters replaced if it also has Latin ones."""
    return word.translate(_LOOKALIKES) if _ALIEN.search(word) and _LATIN.search(word) else word


def fold_lookalikes(text: str) -> str:
    """Return the text with look-alike letters replaced by Latin ones and without accents, as a reader of Latin letters
    sees it. Words in other scripts become gibberish, so use this form in addition to the text, never instead of it."""
    if text.isascii() or not _STANDING.search(text):
        return text
    plain = _ACCENTED.sub(lambda match: "".join(c for c in unicodedata.normalize("NFD", match[0]) if c.isascii()), text)
    return plain.casefold().translate(_STANDS_FOR)


def replace_controls(text: str) -> str:
    """Return the text with U+FFFD in place of control characters that a terminal would obey."""
    return _OBEYED.sub("\ufffd", text)
