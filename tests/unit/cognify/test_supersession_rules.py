"""Which of two sentences ends the other, and the reason given: the rules as a table, without a store."""

from __future__ import annotations

import pytest

from graphmem.cognify.claims import claim_of
from graphmem.cognify.supersede import Claimed, supersession_verdicts

PORT = "The port of the gateway is 8080."
SERVER = "The dev server runs on port 3000."
KEEPS = "The gateway keeps sessions in Redis."

RULES = [
    # one subject and predicate: another value, the same value, a denial
    (PORT, "The gateway's port is now 9090", "port of `gateway`: 8080 -> 9090"),
    (PORT, PORT, ""),
    (PORT, "The port of the cache is 9090.", ""),
    (PORT, "The gateway's port is no longer 8080", "port 8080 of `gateway`: held -> does not"),
    ("The package manager is not npm", "The package manager is npm", "package manager npm of the project: did not -> holds"),
    ("The parser supports YAML anchors.", "The parser no longer supports YAML anchors.",
     "supports yaml anchors of `parser`: held -> does not"),
    ("The user lives in Berlin.", "The user moved to Paris in May 2026.", "location of `user`: berlin -> paris"),
    ("게이트웨이의 포트는 8080입니다.", "게이트웨이의 포트를 8080에서 9090으로 변경했습니다.", "포트 of `게이트웨이`: 8080 -> 9090"),
    # a choice ends what it went from, however that was said
    ("The package manager is npm", "The team switched from npm to pnpm.", "the project went from npm to pnpm"),
    ("The team uses npm.", "The team switched from npm to pnpm.", "the project went from npm to pnpm"),
    ("The project uses Redis.", "The project no longer uses Redis.", "uses redis of the project: held -> does not"),
    # a change to another tool ends one that takes the same place
    ("The team uses MySQL.", "The team is on Postgres now.", "the project went from mysql to postgres"),
    ("The database is MySQL.", "The team is on Postgres now.", "the project went from mysql to postgres"),
    ("The team uses pytest.", "The team is on Postgres now.", ""),
    # a moved thing: a value of the same kind, or the value that it came from, of the same thing alone
    (SERVER, "Moved the dev server to port 5173.", "`dev server` went to port 5173 (port 3000 before)"),
    (SERVER, "Moved the dev server from port 3000 to port 5173.", "`dev server` went from port 3000 to port 5173"),
    (SERVER, "Moved the dev server from port 4000 to port 5173.", ""),
    (SERVER, "Moved the dev server to Frankfurt.", ""),
    (SERVER, "Moved the build server to port 5173.", ""),
    ("The logs are in /var/log/app.", "Moved the logs to /srv/logs/app.", "`logs` went to /srv/logs/app (/var/log/app before)"),
    ("The timeout of the gateway is 30 s.", "Moved the gateway to port 30.", ""),
    # plain assertions that differ in one place: in a number, or where the newer one tells of a change
    ("The gateway keeps sessions for 30 minutes.", "The gateway keeps sessions for 60 minutes.",
     "`gateway`: keep session for 30 minute -> keep session for 60 minute"),
    (KEEPS, "The gateway keeps sessions in Postgres.", ""),
    (KEEPS, "The gateway now keeps sessions in Postgres.", "`gateway`: keep session in redis -> keep session in postgre"),
    (KEEPS, "The gateway no longer keeps sessions in Redis.", "`gateway` keep session in redis: no longer"),
    ("The gateway does not keep sessions in Redis.", "The gateway now keeps sessions in Redis.",
     "`gateway` keep session in redis: holds again"),
]  # fmt: skip


@pytest.mark.parametrize(("older", "newer", "reason"), RULES)
def test_a_later_sentence_ends_an_earlier_one_for_a_reason(older: str, newer: str, reason: str) -> None:
    claims = [claim_of(older), claim_of(newer)]
    said = [
        Claimed(name, "p", "s", claim, time, time, time, 2)
        for name, claim, time in zip(("older", "newer"), claims, (1, 2), strict=True)
        if claim is not None
    ]
    assert len(said) == 2
    verdicts = supersession_verdicts(said, {})
    assert [(each.older.fact, each.newer.fact, each.replaces, each.reason) for each in verdicts] == (
        [("older", "newer", True, reason)] if reason else []
    )


@pytest.mark.parametrize(("authority", "replaces"), [(2, True), (1, True), (0, False)])
def test_a_stranger_contests_what_a_person_said_and_replaces_nothing(authority: int, replaces: bool) -> None:
    older, newer = claim_of(PORT), claim_of("The gateway's port is now 9090")
    assert older is not None and newer is not None
    said = [Claimed("older", "p", "s", older, 1, 1, 1, 2), Claimed("newer", "p", "s", newer, 2, 2, 2, authority)]
    assert [each.replaces for each in supersession_verdicts(said, {})] == [replaces]
