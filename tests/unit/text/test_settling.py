"""How much a sentence settles, in English and Korean."""

import pytest

from graphmem.text.settling import score_conclusiveness, starts_by_agreeing


@pytest.mark.parametrize(
    ("settled", "open_"),
    [
        ("We decided to use Postgres 15 because MySQL loses the time zone.", "Should we use Postgres or MySQL?"),
        ("Let's go with the retry in the client.", "Maybe we could retry in the client."),
        ("The cause was a stale cache; fixed by clearing it at start.", "The page is slow again and people complain."),
        ("Never retry more than 3 times.", "What about retrying three times?"),
        ("우리는 Postgres를 쓰기로 했습니다.", "Postgres를 쓰면 어떨까요?"),
        ("원인은 오래된 캐시였고 시작할 때 비워서 해결했습니다.", "페이지가 또 느린데 왜 그런지 모르겠어요."),
    ],
)
def test_what_settles_a_matter_scores_above_what_opens_it(settled, open_):
    assert score_conclusiveness(settled) >= 18 > score_conclusiveness(open_)
    assert score_conclusiveness(f"{open_} {settled}") >= 18


@pytest.mark.parametrize("text", ["Sounds good, do that.", "+1", "네, 그렇게 하죠.", "Agreed."])
def test_agreement(text):
    assert starts_by_agreeing(text)


@pytest.mark.parametrize("text", ["No, that breaks the build.", "아니요, 안 됩니다.", "Yesterday it failed."])
def test_no_agreement(text):
    assert not starts_by_agreeing(text)
