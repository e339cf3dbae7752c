"""Takes particles and endings off Korean words, and finds the English word that a loanword is a transcription of. Rules only:
no dictionary, no model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice, product

from graphmem.patterns import compile_later

# Particles, and what follows a noun with the verbs 하다, 되다, 시키다 and 이다.
_PARTICLE = (
    "은|는|이|가|을|를|에|의|로|으로|와|과|도|만|들|에서|에게|한테|부터|까지|처럼|보다|마다|이나|나|라도|이라도|밖에|조차|마저"
    "|라는|이라는|라고|이라고|이란|란|에서는|에는|로는|으로는|에서도|에도|로도|으로도|만으로|만의|와의|과의|하고|이며|이고"
    "|인|인지|일|이다|입니다|입니까|이에요|예요|인가|인가요|이었다|였다|뿐|씩|별|당|용"
)
_VERB = (
    "(?:하|되|돼|시키|시켜|해|됐|했|되었|하였|된|한|할|될|합|됩|함|됨)"
    "(?:는|은|던|다|고|게|지|면|며|면서|려면|려고|도록|기|나|나요|니|니다|니까|서|야|요|여|주|주는|줘|었|였|까|까요|습니다|습니까|었다|었나요"
    "|었습니다|지만|거나|는데|는지|을지|을|를|도|기도|지는|자|자면|려|놓|둔|둘)*"
)
_ENDING = (
    "는|은|을|던|다|고|게|지|면|며|면서|으면|려면|으려면|려고|으려고|도록|기|나|나요|니|니까|으니|서|어서|아서|여서|어야|아야|어도|아도|지만|거나"
    "|는데|은데|는지|은지|을지|습니다|습니까|었다|았다|였다|었나요|았나요|었던|았던|었을|았을|을까|을까요|어요|아요|어|아|여|자|기에|기로|지는|지를|지도|죠|지요"
)
_FOLLOWS = compile_later(rf"(?:{_VERB}|{_ENDING}|{_PARTICLE})+")
_TAIL = compile_later(rf"(?:{_VERB})(?:{_PARTICLE})*|(?:{_PARTICLE})+|(?:{_ENDING})")
_OBJECT = compile_later(r"[을를은는에]$")  # no noun of two syllables in code ends so
_EMPTY = compile_later(
    rf"(?:(?:{_VERB})|(?:이|있|없|않|싶|주|쓰|써|보|두|두었|놓|가|오|좋|나오|알|모르)(?:{_ENDING}|{_PARTICLE})*|(?:{_PARTICLE})+)"
)
_MIN_STEM_SYLLABLES = 2  # syllables that are left of a word
_MAX_ENDING_SYLLABLES = 10  # syllables of endings; a bound, since endings can be read in many ways

_ONSETS = ("G", "G", "N", "D", "D", "L", "M", "B", "B", "S", "S", "", "J", "J", "C", "K", "T", "P", "H")
_CODAS = {1: "KG", 4: "N", 7: "DT", 8: "L", 16: "M", 17: "PB", 19: "TS", 21: "N", 22: "J", 23: "C", 24: "K", 25: "T",
          26: "P"}  # fmt: skip
_SYLLABLE, _FIRST, _VOWELS = 588, 0xAC00, 28
_LONE_VOWEL = 18  # ㅡ, which stands where the original has no vowel
_SILENT_ONSET, _GLIDE = 11, 20  # ㅇ and ㅣ: 에이 is one vowel of the original
_LIQUID = 8  # ㄹ: 들 stands for a syllable without a vowel
_MELTED = frozenset((0, 4, 8, 16, 17, 20))  # ㄴ ㄹ ㅁ ㅂ ㅆ, which endings begin with
_MELTED_VOWELS = {6: 20, 14: 13, 9: 8}  # ㅕ ㅝ ㅘ, which were ㅣ ㅜ ㅗ
_FOREIGN_ONSETS = frozenset((15, 16, 17))  # ㅋ ㅌ ㅍ
_OPEN_ONSETS = frozenset((0, 2, 3, 5, 7, 9, 12, 14, 15, 16, 17))  # which ㅡ follows in transcriptions
_SHORTEST, _LEAST_CONSONANTS = 3, 3  # syllables and consonants of a loanword
_INITIALS = {"K": "ckqx", "G": "g", "T": "t", "D": "d", "S": "scxtz", "J": "jzgx", "C": "ct", "P": "pf", "B": "bv", "L": "lrw",
             "M": "m", "N": "nk", "H": "h", "": "aeiouyw"}  # fmt: skip
_MOST_READINGS = 32
# What letters of an English word sound like, the longest first; more than one way where it cannot be told.
_SOUNDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (compile_later(pattern), sounds)
    for pattern, sounds in (
        (r"tch", ("C",)),
        (r"dge(?![a-z])|j+", ("J",)),
        (r"sh|(?:ti|ci)(?=on|al|ou)|c+(?=[eiy])", ("S",)),
        (r"si(?=on)", ("S", "J")),
        (r"t(?=ure)", ("C",)),
        (r"sch", ("SK", "S")),
        (r"ch", ("C", "K", "S")),
        (r"ph|f+|p+", ("P",)),
        (r"v+|b+(?!t$)", ("B",)),
        (r"th", ("S", "T", "D")),
        (r"(?<=[aeiou])gh(?=t|$)|^w(?=r)|^k(?=n)|wh?|(?<=[aeiou])h(?![aeiou])", ("",)),
        (r"ck|c+|k+|q+", ("K",)),
        (r"(?<=[aeiou])s(?=[aeiou])|z+", ("J", "S")),
        (r"s+", ("S",)),
        (r"^x", ("S", "J")),
        (r"x", ("KS",)),
        (r"ng(?=$|[aeiouylr])", ("N", "NG")),
        (r"g+(?=[eiy])", ("J", "G")),
        (r"g+", ("G",)),
        (r"t+", ("T",)),
        (r"d+", ("D",)),
        (r"l+", ("L",)),
        (r"r+(?=e?$)|r+(?![aeiouyr])", ("",)),
        (r"r+", ("L",)),
        (r"m+", ("M",)),
        (r"n+", ("N",)),
        (r"h", ("H", "")),
        (r".", ("",)),
    )
)  # fmt: skip
_VOWEL_RUN = compile_later(r"[aeiouy]+")
_SILENT = compile_later(r"(?<=[^aeiou])e$")


@lru_cache(maxsize=8_192)
def strip_endings(word: str) -> str:
    """Return a Korean word without its particles and endings, of which at least two syllables are left; "" for a word that is
    nothing else.

    >>> strip_endings("세마포어는"), strip_endings("검사하려면"), strip_endings("값을"), strip_endings("하나요")
    ('세마포어', '검사', '값', '')
    """
    if len(word) <= _MAX_ENDING_SYLLABLES and _EMPTY.fullmatch(word):
        return ""
    if len(word) == _MIN_STEM_SYLLABLES:
        return _OBJECT.sub("", word)
    for at in range(max(_MIN_STEM_SYLLABLES, len(word) - _MAX_ENDING_SYLLABLES), len(word)):
        if _TAIL.fullmatch(word, at):
            return word[:at]
    return word


def is_ending(text: str) -> bool:
    """Return whether a text may follow a Korean word as particles and endings; "" may."""
    return not text or (len(text) <= _MAX_ENDING_SYLLABLES and bool(_FOLLOWS.fullmatch(text)))


def transcription_initials(word: str) -> str:
    """Return the letters that the original of a Korean loanword may begin with; "" if the word is hardly a loanword."""
    if not _is_hangul(word):
        return ""
    syllables = [_decompose(letter) for letter in word]
    foreign = any(
        onset in _FOREIGN_ONSETS or (vowel == _LONE_VOWEL and coda in (0, _LIQUID) and onset in _OPEN_ONSETS)
        for onset, vowel, coda in syllables
    )
    if len(syllables) < _SHORTEST or not foreign:
        return ""
    if min(map(len, _hangul_consonants(word))) < _LEAST_CONSONANTS:
        return ""
    return _INITIALS[_ONSETS[syllables[0][0]]]


def find_originals(word: str, vocabulary: Iterable[str], limit: int = 2) -> list[str]:
    """Return the words of a vocabulary that a Korean word may be a transcription of: those with the same consonants and about
    as many vowels, the likeliest first.

    >>> find_originals("뮤텍스", ["mute", "mutex", "metrics"]), find_originals("스로틀", ["settle", "throttle"])
    (['mutex'], ['throttle'])
    """
    if not _is_hangul(word):
        return []
    syllables = [_decompose(letter) for letter in word]
    consonants = _hangul_consonants(word)
    vowels = sum(
        not (vowel == _LONE_VOWEL and coda in (0, _LIQUID)) and not (at and onset == _SILENT_ONSET and vowel == _GLIDE)
        for at, (onset, vowel, coda) in enumerate(syllables)
    )
    found = []
    for other in vocabulary:
        if consonants & _latin_consonants(other) or (
            other.endswith("s") and consonants & _latin_consonants(other[:-1])
        ):
            apart = abs(vowels - len(_VOWEL_RUN.findall(_SILENT.sub("", other))))
            if apart <= 1:
                found.append((apart, len(other), other))
    return [other for _, _, other in sorted(found)[:limit]]


def _is_hangul(word: str) -> bool:
    """Return whether a word consists of Korean syllables."""
    return all("가" <= letter <= "힣" for letter in word)


def _decompose(letter: str) -> tuple[int, int, int]:
    """Return the numbers of the onset, vowel and coda of a syllable."""
    code = ord(letter) - _FIRST
    return code // _SYLLABLE, code % _SYLLABLE // _VOWELS, code % _VOWELS


@lru_cache(maxsize=1_024)
def _hangul_consonants(word: str) -> frozenset[str]:
    """Return the consonants of a Korean word, with all readings of those at the end of syllables."""
    parts: list[str] = []
    for onset, _, coda in map(_decompose, word):
        if sound := _ONSETS[onset]:
            parts += [] if sound == "L" and parts[-1:] == ["L"] else [sound]  # 컬렉션: one consonant, written twice
        parts += [_CODAS[coda]] if coda in _CODAS else [""] if not coda else []
    return _combine(part for part in parts if part)


@lru_cache(maxsize=65_536)
def _latin_consonants(word: str) -> frozenset[str]:
    """Return the consonants of an English word as they sound, with all readings of letters that sound in several ways."""
    parts: list[tuple[str, ...]] = []
    at = 0
    while at < len(word):
        match, sounds = next((match, sounds) for one, sounds in _SOUNDS if (match := one.match(word, at)))
        parts.append(sounds)
        at = match.end()
    return _combine(parts)


def _combine(parts: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(map("".join, islice(product(*parts), _MOST_READINGS)))


def base_verbs(word: str) -> list[str]:
    """Return what the last syllable of a verb form may have been before its ending melted into it.

    >>> base_verbs("합쳐"), base_verbs("바꿔"), base_verbs("만든")
    (['합치'], ['바꾸'], ['만드', '만들'])
    """
    onset, vowel, coda = _decompose(word[-1])
    if coda not in _MELTED:
        return []
    plain = _MELTED_VOWELS.get(vowel, vowel)
    if not coda:
        return [] if plain == vowel else [word[:-1] + _compose(onset, plain, 0)]
    return [word[:-1] + _compose(onset, plain, end) for end in (0, _LIQUID) if end != coda]


def _compose(onset: int, vowel: int, coda: int) -> str:
    return chr(_FIRST + onset * _SYLLABLE + vowel * _VOWELS + coda)
