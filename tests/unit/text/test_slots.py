"""What a sentence says of an attribute, and whether a later one takes its place."""

from __future__ import annotations

import pytest

from graphmem.text.slot_changes import compare_sentences, corrects_last, is_bare
from graphmem.text.slots import read_slots

REPLACED = [
    ("our brokers are on kafka 3.4 in prod", "prod kafka 3.7 since the maintenance window"),
    ("the metrics page listens on 8088", "fyi had to move the metrics page to 8099, the agent grabs 8088"),
    ("Noor is on call for the shop", "Pavel took over on call for the shop from Noor"),
    ("branch off from integration for features", "integration is dead, branch off from stable from now on"),
    ("translations belong to Hugo", "Edda owns translations since May"),
    ("the sitemap is rebuilt every 12 hours", "sitemap rebuild is hourly now"),
    ("the report job starts at 2am", "moved the report job to 6am, the import wasn't done"),
    ("for charts we use plotly", "rewrite the charts page with vega please, we are done with plotly"),
    ("backups live in us-east-1", "backups moved from us-east-1 to us-west-2"),
    ("config is in conf/site.ini", "I moved the configuration out of conf/site.ini into conf/site.toml"),
    ("nothing goes out, we're in a release freeze", "the release freeze is over"),
    ("thumbnails are cached for 30 minutes", "thumbnails are cached for 2 hours now"),
    ("요금 알림 주기는 7일이야", "요금 알림 주기를 14일로 늘렸어"),
    ("정산 담당자는 유진이야", "정산은 이제 태호가 맡아"),
    ("대시보드는 React로 만들어", "대시보드를 Solid로 다시 짰어"),
]
BOTH_HOLD = [
    (
        "We release from the branch stable, never from main.",
        "We publish releases with `npm run ship`, and only after the smoke tests passed.",
    ),
    ("Buoy number 3 is lit from dusk to dawn.", "Buoy 2 is lit all night."),
    (
        "The log viewer shows entries in the wrong order, showLog should sort them by their time.",
        "The log is now in order of time.",
    ),
    ("the mail service listens on 7001", "the chat service listens on 7002"),
    ("in dev the timeout is 5s", "in prod the timeout is 60s"),
    ("the cache ttl is 10 minutes", "what would happen if we set the cache ttl to 1 hour?"),
    ("we use mysql", "if we ever get to 10 TB we use cockroach"),
    ("our java is 21", "back in 2020 our java was 8"),
    ("the limit per user is 5 projects", "don't change the limit per user to 10 projects without asking me"),
    ("frontend is react", "the admin frontend is vue"),
    ("set the login timeout to 20 seconds", "set the logout timeout to 5 seconds"),
    ("the eu cluster runs Kubernetes 1.29", "the us cluster runs Kubernetes 1.31"),
    ("the backend uses FastAPI", "the backend uses Alembic for migrations"),
    ("We use Terraform for infrastructure.", "We have not dropped Terraform."),
    ("the cache TTL is now 120 seconds", "Changed TTL to 120."),
    ("the window is 90 days", "set the window to 90"),
    ("the session store is redis", "please write a test where the session store is memcached"),
    ("Read file: src/a.py", "Read file: src/b.py"),
    ("let me look at the server on port 3000", "now let me look at the server on port 3001"),
    ("개발 환경 타임아웃은 5초야", "운영 환경 타임아웃은 60초야"),
    ("배포 서버는 3대야", "누군가 배포 서버를 5대로 늘렸냐고 물었다"),
]
CONTRADICTED = [
    ("readme says the min go version is 1.21", "but the ci file says the min go version is 1.22"),
    ("the wiki lists Aria as owner of the scheduler", "CODEOWNERS lists Bo as owner of the scheduler"),
    ("in the spec the id is 16 characters", "in the schema the id is 20 characters"),
    ("위키에 따르면 보관 기간은 6개월이야", "법무팀 메일에 따르면 보관 기간은 12개월이야"),
]


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_is_said_later_takes_the_place_of_the_earlier(old: str, new: str) -> None:
    change = compare_sentences(new, old)
    assert change is not None and change.replaces


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_is_about_something_else_changes_nothing(old: str, new: str) -> None:
    assert compare_sentences(new, old) is None


@pytest.mark.parametrize(("old", "new"), CONTRADICTED)
def test_two_sources_without_order_contradict_each_other(old: str, new: str) -> None:
    change = compare_sentences(new, old)
    assert change is not None and not change.replaces


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the grpc port is 50051", "ah wait no, 50061"),
        ("The cookie lasts 24 hours.", "nope, it's 12 hours"),
        ("the bucket is called acme-prod-assets", "sorry typo, acme-prd-assets"),
        ("gRPC 포트는 50051이야", "아 아니다 50061이야"),
    ],
)
def test_a_bare_correction_fits_a_value_of_its_kind(old: str, new: str) -> None:
    assert is_bare(new)
    assert corrects_last(new, old)
    assert not corrects_last(new, "Maria owns the importer")


def test_talk_about_the_work_at_hand_states_nothing() -> None:
    for sentence in (
        "Let me check port 3000.",
        "- [x] Move the tests to src/b",
        "3 tests are failing on port 80",
        "Step 2: run it",
    ):
        assert read_slots(sentence) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("세션 타임아웃 기본값은 앞으로 30분으로 하기로 하자.", "max-age 기본값은 앞으로 600초로 하자."),
        ("The default of the session timeout is 45 minutes.", "From now on the max-age default is 600 seconds."),
    ],
)
def test_what_a_name_qualifies_is_another_thing(one: str, other: str) -> None:
    assert compare_sentences(other, one) is None and compare_sentences(one, other) is None
