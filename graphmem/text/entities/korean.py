"""Korean particles and personal names: "김철수가" mentions 김철수. Limited to what entity extraction needs; no morphological
analysis."""

from __future__ import annotations

import re

from graphmem.text.entities.wordlists import words_of

PARTICLE = re.compile("(?:" + "|".join(words_of("korean_particles")) + ")$")
TITLES = frozenset(words_of("korean_titles"))
ORDINARY = frozenset(words_of("korean_ordinary"))
AFTER_PERSONS = frozenset(("가", "이", "은", "는", "에게", "께서", "한테", "의", "와", "과", "도", "랑"))

# Nouns that end like the particle "도": "재시도", "속도".
_IN_DO = re.compile("(?:시|속|온|빈|용|한|제|각|강|농|밀|난이|정|우선|중요|신뢰|해상|선호|완성|복잡)도$")

SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우"
    "구민나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
COMMON_SURNAMES = frozenset("김이박최정강조윤장임한오서신권황안송홍유")
GIVEN = frozenset(
    "민서지현우준영수철호성진은혜정희미경숙순자훈석재동상태윤하연유주원도예시아린채승규기"
    "형용대광종창한인선소나라빈율환욱섭식일국근복봉옥란화향애남덕명문보송신심안양언여열오완"
    "운웅익임장전중찬천춘탁택평필학해헌혁홍효휘흥리슬솔별봄결람온"
)


def stem(word: str) -> str:
    """Return `word` without its last particle, if at least two syllables remain; otherwise `word`."""
    if _IN_DO.search(word):
        return word
    match = PARTICLE.search(word)
    return word[: match.start()] if match is not None and match.start() >= 2 else word


def is_name(word: str, after: str) -> bool:
    """Return whether `word`, without its particle, is a Korean name; `after` is what follows: a particle, title or word."""
    if not 2 <= len(word) <= 4 or word[0] not in SURNAMES or word in ORDINARY:
        return False
    if after in TITLES:
        return len(word) > 2 or after in ("씨", "님", "팀장", "과장", "대리", "부장")
    three = len(word) == 3 and word[0] in COMMON_SURNAMES and all(c in GIVEN for c in word[1:])
    return three and after in AFTER_PERSONS
