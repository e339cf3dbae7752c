"""Stems of the words that tell what a slot is about: one stem for words that name one attribute ("lifetime", "ttl", "expires"),
none for those that only say that something is so or changes."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.text.topics import stem_of
from graphmem.text.words import stopwords

HANGUL = re.compile(r"[가-힣]")
_WORD = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*")
_AMERICA = re.compile(
    r"\bUS\b|(?<=the )us\b|(?<=in )us\b|\bus(?=[- ](?:cluster|region|tenant|market|customers?|stack|store|east|west))"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Words of one attribute, the first of which stands for all.
_ALIKE = (
    "own owns owner owned owning belong belongs responsible maintain maintains maintainer maintained"
    " 담당 담당자 책임자 맡아 맡는다 맡고 맡습니다 맡았다 맡는",
    "lead leads led leading leader head heads",
    "review reviews reviewed reviewer reviewing",
    "lifetime ttl live lives valid expire expires expiry last lasts 유효 유효기간",
    "keep keeps kept retain retains retained retention stay stays store stored 보관",
    "limit limits cap caps capped max maximum most quota allowance 최대 한도 제한",
    "min minimum baseline least lowest 최소",
    "port listen listens listening 포트",
    "address url host hostname endpoint uri 주소",
    "config configuration configured 설정",
    "dir directory folder 폴더 디렉터리 디렉토리",
    "prod production 운영",
    "dev development 개발",
    "staging stage 스테이징",
    "deploy deploys deployed deployment deploying 배포",
    "release releases released releasing 릴리스 출시 출시일",
    "test tests testing tested 테스트",
    "merge merges merged merging 머지",
    "push pushes pushing pushed 푸시",
    "db database 데이터베이스 디비",
    "k8s kubernetes",
    "postgres postgresql",
    "pr prs pull",
    "fire fires trigger triggers scheduled",
    "build builds built building rebuild rebuilt rebuilds",
    "email mail mailer",
    "squash squashed squashing",
    "commit commits",
    "docs documentation doc",
    "meeting meetings 회의",
)  # fmt: skip
_SAME = {stem_of(word): stem_of(group.split()[0]) for group in _ALIKE for word in group.split()}
ENVIRONMENTS = frozenset(
    _SAME.get(stem_of(word), stem_of(word))
    for word in "staging production prod dev development qa uat ci locally local beta alpha"
    " canary preview sandbox demo windows linux mac"
    " ios android v1 v2 v3 eu usa europe asia".split()
)
_LIGHT_WORDS = """
    create created creating add added adding write wrote done finish finished be is are was were been do does did have has had
    having get gets got getting go goes went going make makes made let use uses used using run runs running set sets take
    takes took taken put puts need needs needed want wants wanted will must should can may our we us you your they them their
    i me my mine it its this that these those here there the a an and or but not no yes also just only still now today
    tomorrow yesterday currently again back anymore longer more new old always never please pls since from to for of in on at
    by with as via per into onto out up down over under everywhere anything something everything everybody every each all any
    some really about change changes changed changing move moves moved moving switch switched switching migrate migrated
    migration migrating upgrade upgraded downgrade downgraded bump bumped raise raised lower lowered increase increased reduce
    reduced extend extended shorten shortened rename renamed replace replaced revert reverted roll rolled drop dropped ditch
    ditched push pushed slip slipped postpone postponed delay delayed decide decided say says said tell told know means meant
    mean happen happens become became start started starting works working work week month year monday tuesday wednesday
    thursday friday saturday sunday morning night weekend quarter reorg fine good great nice like don doesn isn aren won off
    favour favor wrong mistake version versions value number amount count default minimal thing stuff way actual actually
    right correct true incorrect gone dead left until before after 요일 마다 btw fyi mind else 이제 다시 이제는 앞으로 부터
    변경 변경했 바꿨 바꿨어 바뀌었어 바꿔줘 바꿨다 옮겼어요 옮겼어 옮겼다 올려줘 올렸습니다 올림 늘었어 줄였습니다 우리 우리는
    저희 지금 현재 쓰고 있어요 있어 있다 쓰자 했어 했다 하자 한다 합니다 해 해요 된다 돼 써 쓴다 사용 사용합니다 버전 이름 값
    이야 입니다 기준 까지 가능 가능해 밀렸습니다 교체했다 교체 원복했다 원복 상향 하향 돌아갔어 옮겨졌어요 로 으로 더 이상 은
    는 이 가 을 를 에 에서
""".split()
LIGHT = frozenset(_SAME.get(stem_of(word), stem_of(word)) for word in _LIGHT_WORDS) - frozenset(_SAME.values())


def has_hangul(text: str) -> bool:
    """Return whether a text is Korean, at least in part."""
    return bool(HANGUL.search(text))


@lru_cache(maxsize=16_384)
def unify(text: str) -> tuple[str, ...]:
    """Return the stems of a text in order, one for all words of one attribute."""
    found = []
    for word in _WORD.findall(_CAMEL.sub(" ", _AMERICA.sub("usa", text))):
        plain = word.lower().partition("'")[0]
        if not plain or plain in stopwords():
            continue
        stem = stem_of(plain)
        if stem:
            found.append(_SAME.get(stem, _SAME.get(plain, stem)))
    return tuple(found)


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text."""
    return frozenset(unify(text))
