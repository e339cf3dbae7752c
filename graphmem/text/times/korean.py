"""Korean words of time with their meanings, as classes for `grammar.korean`, and the cutting of a run of Hangul into such
words and particles. English is in `lexicon`."""

from __future__ import annotations

from functools import cache
from typing import Any

Words = dict[str, Any]


def _numbered(text: str, start: int = 1) -> Words:
    return {word: n for n, group in enumerate(text.split(), start) for word in group.split("|")}


def _words(**meanings: str) -> Words:
    return {word: meaning for meaning, words in meanings.items() for word in words.split()}


CLASSES: dict[str, Words] = {
    # days by distance, and spoken counts of days
    "KDAY": {
        **dict.fromkeys(("오늘", "금일", "당일"), 0),
        **dict.fromkeys(("내일", "명일", "익일"), 1),
        **dict.fromkeys(("어제", "작일", "어저께"), -1),
        **dict.fromkeys(("그제", "그저께", "엊그제", "엊그저께"), -2),
        "모레": 2, "글피": 3, "그끄저께": -3,
    },
    "KDAYS": {**_numbered("하루 이틀 사흘 나흘 닷새 엿새 이레 여드레 아흐레 열흘"), "보름": 15},
    "KWEEKDAY": _numbered("월요일 화요일 수요일 목요일 금요일 토요일 일요일", 0),
    "KWEEKDAY1": _numbered("월 화 수 목 금 토 일", 0),
    "KNUMBER": _numbered("한 두 세|석 네|넉 다섯 여섯 일곱 여덟 아홉 열 열한 열두"),
    "KVAGUE": dict.fromkeys(("몇", "수"), 3),
    # "지난 주" and the words that hold both parts
    "KSHIFT": {
        **dict.fromkeys(("이번", "이"), 0), **dict.fromkeys(("다음", "담"), 1), **dict.fromkeys(("지난", "저번"), -1),
        "다다음": 2, "지지난": -2, "저저번": -2,
    },
    "KNEAREST": {"오는": 1, "돌아오는": 1},
    "KYEAR": {"올해": 0, "금년": 0, "작년": -1, "지난해": -1, "재작년": -2, "내년": 1, "내후년": 2},
    "KTHIS": {"올": 0},
    "KMONTH": {"이달": 0, "금월": 0, "내달": 1, "익월": 1},
    "KWEEK": {"금주": 0, "차주": 1},
    "KPERIOD": {"주": "week", "달": "month", "해": "year", "분기": "quarter", "주말": "weekend"},
    "KEDGE": _words(start="초 초순 초반", mid="중순 중반", finish="말", end="하순 후반"),
    "KEDGEWORD": {
        "연초": ("start", "year"), "연말": ("finish", "year"), "월초": ("start", "month"), "월말": ("finish", "month"),
    },
    "KHALFYEAR": {"상반기": 1, "하반기": 2},
    "KSEASON": {"봄": "SP", "여름": "SU", "가을": "FA", "겨울": "WI"},
    # lengths
    "KUNIT": {
        "초": "second", "시간": "hour", "일": "day", "주": "week", "주일": "week", "주간": "week", "개월": "month",
        "달": "month", "년": "year", "세기": "century",
    },
    "KMINUTE": {"분": "minute"},
    "KHALFLENGTH": {"반년": "month", "반나절": "hour", "반시간": "minute"},
    # times of day
    "KAMPM": {"오전": "am", "오후": "pm"},
    "KPART": _words(DA="새벽", MO="아침", MI="낮 한낮", MEL="점심", EV="저녁", NI="밤"),
    "KPARTDAY": {"어젯밤": (-1, "NI"), "간밤": (-1, "NI"), "지난밤": (-1, "NI"), "오늘밤": (0, "NI")},
    "KNOON": {"정오": 12, "자정": 0},
    # recurrences and references
    "KEVERY": {
        "매일": "P1D", "날마다": "P1D", "매주": "P1W", "격주": "P2W", "매월": "P1M", "매달": "P1M", "달마다": "P1M",
        "매년": "P1Y", "해마다": "P1Y", "매시간": "PT1H", "매분기": "P3M",
    },
    "KNOW": {"지금": "PRESENT_REF", "요즘": "PRESENT_REF", "요새": "PRESENT_REF"},
    "KREFERENCE": {
        **dict.fromkeys(("방금", "아까", "최근"), "PAST_REF"),
        **dict.fromkeys(("곧", "이따", "이따가", "조만간"), "FUTURE_REF"),
    },
    "KSHORT": dict.fromkeys(("조금", "얼마", "좀"), 1),
    "KAGO": dict.fromkeys(("전", "이전"), -1),
    "KHENCE": dict.fromkeys(("뒤", "후", "이후"), 1),
    "KHOLIDAY": {
        "신정": (1, 1), "삼일절": (3, 1), "어린이날": (5, 5), "현충일": (6, 6), "광복절": (8, 15), "개천절": (10, 3),
        "한글날": (10, 9), "크리스마스": (12, 25), "성탄절": (12, 25),
    },
    "KPARTICLE": dict.fromkeys(
        "에 엔 에는 에도 에서 의 은 는 이 가 을 를 도 로 으로 만 과 와 쯤 경 께 정도 이나 나 인 이다 입니다 이고 이며 날 째 "
        "였다 이었다 였습니다 라도 이라도 자 분 된 만에 에야 부로 예정".split(), 0,
    ),
}  # fmt: skip
# Words that only the rules name, so that a run of Hangul may hold them.
_IN_RULES = (
    "월 년 년도 년대 시 반 현재 동안 간 내내 안 이내 내 앞으로 부터 까지 사이 마다 평일 매 며칠 일주일 일년".split()
)
_MAX_RUN = 24


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(word for words in CLASSES.values() for word in words) | frozenset(_IN_RULES)


def split_words(run: str) -> list[tuple[int, str]]:
    """Return (offset, word) of the known words that a run of Hangul consists of, longest first; empty unless they
    make up the whole run ("다음주에" does, "오늘날짜" does not)."""
    if len(run) > _MAX_RUN:
        return []
    return _split(run, 0, len(run) * 4) or []


def _split(run: str, at: int, budget: int) -> list[tuple[int, str]] | None:
    if at == len(run):
        return []
    if budget <= 0:
        return None
    for end in range(min(len(run), at + 5), at, -1):
        word = run[at:end]
        if word in _vocabulary():
            rest = _split(run, end, budget - 1)
            if rest is not None:
                return [(at, word), *rest]
    return None
