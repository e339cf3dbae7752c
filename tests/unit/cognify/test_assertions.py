"""Which later statement ends an earlier one, by their claims alone: told in other words, in a clause, as a correction, or as
what another source says. What merely looks alike ends nothing."""

from __future__ import annotations

import pytest

from graphmem.cognify.assertions import read_assertion
from graphmem.cognify.claims import claim_clause, claim_of, is_correcting
from graphmem.cognify.supersede import Claimed, supersession_verdicts, topics_of

ENDED = [
    ("The backup runs at 2 am.", "The backup runs at 4 am now."),
    ("The monorepo uses Lerna.", "The team migrated the monorepo from Lerna to Nx."),
    ("Use yarn for installs.", "Use pnpm for installs from now on."),
    ("The frontend is written in Vue.", "The frontend has been rewritten in Svelte."),
    ("Kim is responsible for the data pipeline.", "Lee is now responsible for the data pipeline."),
    ("The free plan allows 3 projects.", "The free plan allows 5 projects."),
    ("The password must be at least 8 characters long.", "The password must now be at least 12 characters long."),
    ("The dev server runs on port 3000.", "The agent moved the dev server to port 5173 because 3000 was taken."),
    ("CI runs on Jenkins.", "CI moved from Jenkins to GitHub Actions."),
    ("The API returns XML.", "The API returns JSON instead of XML now."),
    ("The Redis version is 6.", "Redis was upgraded to 7.2."),
    ("The sprint is two weeks long.", "The sprint is three weeks long now."),
    ("The beta programme is open.", "The beta programme is closed."),
    ("The max upload is 5MB.", "The max upload is actually 50MB"),
    ("The docs live in docs/.", "The docs moved to the wiki."),
    ("The product owner of checkout is Nadia.", "Nadia left last week, the product owner of checkout is now Felix."),
    ("The message broker is NATS.", "The message broker used to be NATS, it is Pulsar today."),
    ("Pull requests must have two reviewers.", "Pull requests must have only one reviewer as of today."),
    ("The staging environment is at https://a.example.", "Staging moved to https://b.example."),
    ("The team deploys with Ansible.", "The team does not deploy with Ansible anymore."),
    ("게이트웨이는 8000번 포트로 전달한다.", "게이트웨이는 이제 9000번 포트로 전달한다."),
    ("문서는 위키에 있다.", "문서는 이제 노션에 있다."),
    ("다크 모드는 기본으로 켜져 있다.", "다크 모드는 이제 기본으로 꺼져 있다."),
    ("코드 프리즈는 5월 4일에 시작한다.", "코드 프리즈는 5월 11일로 미뤄졌다."),
    ("팀은 AWS를 쓴다.", "AWS에서 GCP로 옮겼다."),
]
KEPT = [
    ("The gateway uses nginx.", "The gateway now also uses Lua scripts."),
    ("The API supports JSON.", "The API now supports YAML."),
    ("The test timeout is 5 s.", "The test failed after 9 s."),
    ("Logs are kept for 30 days.", "Backups are kept for 90 days now."),
    ("The user likes dark mode.", "The user likes small commits."),
    ("The backend uses FastAPI.", "The backend now uses Alembic for migrations."),
    ("The team uses Postgres in production.", "The team now uses SQLite in the tests."),
    ("Kim reviews the API.", "Lee now reviews the API, too."),
    ("The cron job starts at 01:00.", "If it is slow, the cron job starts at 04:00."),
    ("스테이징은 노드가 3개이다.", "운영은 노드가 9개이다."),
]


def verdicts(old: str, new: str) -> list[bool]:
    """Whether each verdict replaces (or else contests)."""
    made = [(claim_of(text), day) for day, text in enumerate((old, new), 1)]
    claims = [Claimed(f"f{day}", "p", "s", claim, day, day, day, 2) for claim, day in made if claim]
    topics = {topic for each in claims for topic in topics_of(each.claim)}
    groups = [[each for each in claims if topic in topics_of(each.claim)] for topic in sorted(topics)]
    return [verdict.replaces for group in groups for verdict in supersession_verdicts(group, {})]


@pytest.mark.parametrize(("old", "new"), ENDED)
def test_a_change_in_other_words_ends_what_was_said(old: str, new: str) -> None:
    assert verdicts(old, new) and all(verdicts(old, new))
    assert not verdicts(old, old)


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_what_looks_alike_ends_nothing(old: str, new: str) -> None:
    assert verdicts(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The token lifetime is 1 hour.", "Marek claims the token lifetime is 24 hours."),
        ("The upload endpoint returns 202.", "The README says the upload endpoint returns 200."),
        ("업로드 엔드포인트는 202를 반환한다.", "민호 말로는 업로드 엔드포인트는 200을 반환한다."),
    ],
)
def test_another_source_contests_and_replaces_nothing(old: str, new: str) -> None:
    assert verdicts(old, new) == [False]


@pytest.mark.parametrize(
    "text",
    [
        "The build is broken.", "We have a problem.", "I have a question.", "The result is 5.", "It runs on port 80.",
        "The team can deploy on Friday.", "The nightly build failed yesterday.", "테스트가 실패했다.",
    ],
)  # fmt: skip
def test_what_passes_is_no_assertion(text: str) -> None:
    assert read_assertion(text.rstrip(".")) is None


def test_a_clause_says_it_without_the_talk_around_it() -> None:
    assert claim_clause("No wait, I misread it: the pool size is 40.") == "Correction: the pool size is 40."
    assert claim_clause("The deadline for the audit is 2026-07-15, they gave us more time.").startswith("The deadline")
    assert claim_clause("The tests pass.") == ""


def test_a_sentence_may_only_say_that_the_next_one_corrects() -> None:
    assert is_correcting("I changed my mind.") and is_correcting("정정합니다.")
    assert not is_correcting("I changed my mind about the port.")
