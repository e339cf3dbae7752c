"""Rules that a person adds to something else, in English and Korean: they stand alone, without the words that add them."""

from __future__ import annotations

import pytest
from unit.cognify.test_korean_facts import made

from graphmem.cognify import cues


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "Rather use `upload` as the stem instead of `file`. Also: always run ruff before a commit.",
            ["Always run ruff before a commit."],
        ),
        ("Looks good. Also: always update the type stubs before a release.",
         ["Always update the type stubs before a release."]),
        (
            "Great. Also always run the docs build before a release. And one more thing: never rename public functions"
            " without a deprecation.",
            ["Always run the docs build before a release.", "Never rename public functions without a deprecation."],
        ),
        ("Good, thanks. Oh, and never commit directly to main.", ["Never commit directly to main."]),
        ("Perfect! By the way: don't use print in library code.", ["Don't use print in library code."]),
        ("Thanks. Second: never edit generated files. Third: always squash before merging.",
         ["Never edit generated files.", "Always squash before merging."]),
        ("Please fix the tests. And remember to always run mypy before a commit.",
         ["Always run mypy before a commit."]),
        ("좋아. 그리고 커밋 전에 항상 ruff를 실행해.", ["커밋 전에 항상 ruff를 실행해."]),
        ("그리고 테스트는 반드시 PYTHONPATH=src 로 실행해.", ["테스트는 반드시 PYTHONPATH=src 로 실행해."]),
        ("네. 한 가지 더: 배포 전에 반드시 문서를 빌드해.", ["배포 전에 반드시 문서를 빌드해."]),
        ("하나 더, main에 직접 푸시하지 마.", ["main에 직접 푸시하지 마."]),
    ],
)  # fmt: skip
def test_a_rule_that_is_added_to_something_else_is_one(text: str, rules: list[str]) -> None:
    assert [content for kind, content in made(text) if kind == "rule"] == rules


@pytest.mark.parametrize(
    "text",
    ["앞으로 커밋 메시지는 항상 영어 명령형으로 써 줘.", "앞으로 변수 이름은 항상 snake_case로 지어 줘.",
     "이제부터 테스트는 항상 pytest로 돌려 줘."],
)  # fmt: skip
def test_what_a_person_orders_from_now_on_is_a_rule_in_korean(text: str) -> None:
    assert made(text) == [("rule", text)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Never touch CHANGES.rst, I write it myself at release time.",
         "Never touch CHANGES.rst, the user writes it at release time."),
        ("Never edit the changelog by hand, we ourselves write the changelog.",
         "Never edit the changelog by hand, the team writes the changelog."),
    ],
)  # fmt: skip
def test_who_does_something_himself_is_named_once(text: str, content: str) -> None:
    assert [said for _, said in made(text)] == [content]


@pytest.mark.parametrize("text", ["문서는 다음에 하자.", "배포는 다음 번에 합시다.", "이따가 마이그레이션을 하자."])
def test_what_is_put_off_is_a_task_and_no_fact(text: str) -> None:
    assert cues.TASK_LINE.match(text)
    assert made(text) == []
