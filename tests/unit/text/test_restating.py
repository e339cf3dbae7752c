"""Plain statements about one thing: which take the place of an earlier one, and which both hold."""

from __future__ import annotations

import pytest

from graphmem.text.restating import EQUALS, REPLACES, gives_up, restatement_strength, states_value

REPLACED = """
The greenhouse pump starts at 06:15. | The greenhouse pump starts at 05:45.
The thesis is written in LaTeX. | The thesis is written in Typst.
We pay translators 8 cents per word. | We pay translators 10 cents per word.
Use snake_case for column names. | Use camelCase for column names, the ORM expects it.
The lab's samples are stored at -20 degrees. | Since the audit the lab's samples are stored at -80 degrees.
Build logs are kept for 90 days. | For privacy reasons build logs are kept for 14 days only.
Recipes are limited to 40 ingredients. | The limit for ingredients in a recipe is 60 now.
Dependencies are updated by Dependabot. | Renovate does our dependency updates; Dependabot is switched off.
The chat widget is loaded from unpkg. | The chat widget is served from our own CDN, not from unpkg.
Images are resized with Pillow. | Image resizing went to libvips because Pillow was too slow.
The queue is drained by three workers. | Five workers drain the queue.
Daniel maintains the firmware. | Daniel left; Aiko maintains the firmware.
Commit subjects follow the Angular Preset. | We no longer use the Angular Preset; a subject is a plain sentence.
The default theme is dark. | The default theme is light.
Payroll closes on the 25th. | Payroll closes on the 22nd.
우리 블로그는 Jekyll로 만든다. | 우리 블로그는 Hugo로 만든다.
센서 값은 10초마다 읽는다. | 센서 값은 30초마다 읽는다.
로그는 S3에 저장한다. | 로그 저장 위치를 GCS로 옮겼다.
Production runs Node 20. | Production runs Node 22.
Node 18 runs in production. | Node 22 runs in production now.
포트는 8080이다. | 포트는 9090이다.
재시도는 세 번까지만 한다. | 재시도 횟수를 다섯 번으로 늘렸다.
창고 화면 담당자는 수빈이다. | 창고 화면은 수빈에게서 태호가 넘겨받았다.
"""
KEPT = """
The greenhouse pump starts at 06:15. | The greenhouse lamp starts at 05:45.
The greenhouse pump starts at 06:15. | The greenhouse pump stops at 07:45.
The greenhouse pump starts at 06:15. | Should the greenhouse pump start at 05:45?
The greenhouse pump starts at 06:15. | If the greenhouse pump started at 05:45 it would freeze.
The greenhouse pump starts at 06:15. | He wrote "the greenhouse pump starts at 05:45" to the other team.
The greenhouse pump starts at 06:15. | Next year we are going to start the greenhouse pump at 05:45.
The docs are built with Sphinx. | The docs are built on every push.
The docs are built with Sphinx. | The docs are also built with Doxygen for the C part.
Staging runs Postgres 14. | Production runs Postgres 16.
The cache TTL is 10 minutes in production. | The cache TTL is 1 minute in staging.
Uploads are limited to 20 MB. | Uploads by admins are limited to 200 MB.
The maximum basket size is 50 items. | The minimum basket size is 2 items.
Orders above 100 euros ship free. | Orders below 20 euros cost 5 euros.
Errors are reported to Sentry. | Errors from the worker are reported to Loki.
Errors are reported to Sentry. | Errors were reported to Rollbar back then.
Use tabs in Makefiles. | Use spaces in Python files.
The old API returned 200. | The new API returns 201.
Alice owns the billing service. | Alice owns the mailer.
The tool supports JSON. | The tool supports XML.
Build 12 failed because of a missing header. | Build 14 failed because the disk was full.
Build 12 failed: missing header. | Build 14 failed: out of disk.
step 4: upload the files | step 6: tell the customer
The goal of sprint 7 is payments. | The goal of sprint 8 is search.
Shop 3 opens at 9:00. | Shop 4 opens at 10:00.
RFC 2119 defines the words. | RFC 8174 defines the words.
Deployment 12 went to Berlin. | Deployment 13 went to Paris.
12번 빌드는 헤더가 없어 실패했다. | 14번 빌드는 디스크가 없어 실패했다.
스프린트 7의 목표는 결제다. | 스프린트 8의 목표는 검색이다.
로그는 S3에 저장한다. | 로그는 30일 동안 보관한다.
민수는 백엔드를 맡는다. | 민수는 배포도 맡는다.
알람은 슬랙으로 보낸다. | 알람을 팀즈로 보내면 어떨까요?
"""


def _pairs(lines: str) -> list[tuple[str, str]]:
    return [(old, new) for old, _, new in (line.partition(" | ") for line in lines.strip().splitlines())]


@pytest.mark.parametrize(("old", "new"), _pairs(REPLACED))
def test_later_statement_with_another_value_replaces(old: str, new: str) -> None:
    assert restatement_strength(new, old) == REPLACES


@pytest.mark.parametrize(("old", "new"), _pairs(KEPT))
def test_statements_about_different_things_both_hold(old: str, new: str) -> None:
    assert restatement_strength(new, old) == 0.0


@pytest.mark.parametrize(
    ("old", "new"),
    _pairs("""
The app is available in German. | The app is available in French.
Payments go through Stripe. | Payments go through a fraud check.
Alice reviews the migrations. | Bo reviews the migrations.
"""),
)
def test_values_that_may_stand_side_by_side_are_only_ordered(old: str, new: str) -> None:
    assert restatement_strength(new, old) in (0.0, EQUALS)


def test_what_states_a_value_is_told_from_what_happens_now() -> None:
    assert states_value("The cache holds at most 500 entries.")
    assert states_value("Invoices are rendered with WeasyPrint.")
    assert not states_value("The login page fails with a 500 on Safari.")
    assert not states_value("I ran it for 10 minutes.")
    assert gives_up("Invoices are rendered with WeasyPrint; the service stopped using Puppeteer.")
    assert not gives_up("Please drop the index.")
