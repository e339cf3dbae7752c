"""Compares what a question says was done (added, removed or taken back) with what the title of a commit says that it does: a
commit that adds something and one that removes it have almost the same words."""

from __future__ import annotations

import re

ACTION_SIGNALS = ("same_action", "opposite_action", "maintenance")
_ADD, _REMOVE, _REVERT = "add", "remove", "revert"

# What a question says was done, the most telling first: "stopped adding" is a removal, "the removal was reverted" a revert.
_ASKED = (
    (
        _REVERT,
        re.compile(
            r"\b(?:revert\w*|(?:taken?|took|rolled|roll) back|undone?|undid|undo|back(?:ed)? out|withdr[ae]wn?|rollback)\b"
            r"|되돌[리린렸려]|철회|원복|롤백",
            re.I,
        ),
    ),
    (
        _REMOVE,
        re.compile(
            r"\b(?:remov(?:ed?|ing|al)|dropp?(?:ed|ing)?|delet(?:ed?|ing|ion)|g[eo]t(?:ting)? rid|g[ai]ven? up|stop(?:ped)?"
            r"|(?:thr(?:own|ew)|taken?|took|ripped|pulled) (?:out|away)"
            r"|no longer|not \w+ any ?more|ceased?|abandon(?:ed)?|discontinued?|eliminated?|gone|retired?|phased out"
            r"|disappear(?:ed)?|vanish(?:ed)?|(?:went|go|goes) away|ended|scrapped|ditched|axed|sunset(?:ted)?"
            r"|end of (?:life|support))\b"
            r"|제거|삭제|없[애앤앴]|[빼뺀뺐](?=[고는은던다았었나기]|\s)|그만|중단|더 ?이상|끝[났난]|폐지|종료[됐되했한]|사라[졌진]"
            r"|지[웠운](?=[고는던다었나]|\s)",
            re.I,
        ),
    ),
    (
        _ADD,
        re.compile(
            r"\b(?:add(?:ed|s|ing)?|introduc(?:ed?|ing)|arrived?|contributed?|wrote|written|writes?|implement(?:ed|s)?|created?"
            r"|land(?:ed)?|bec[ao]me (?:possible|available)|(?:appear|debut)(?:ed)?|show(?:ed)? up"
            r"|c[ao]me up with|invent(?:ed|s)?|br(?:ought|ing) in|start(?:ed)? (?:to support|supporting)|built|ported"
            r"|made (?:\w+ )?possible|since (?:when|which|what))\b"
            r"|추가|도입|만들|만든|구현|생[긴겼]|작성|들어[간갔온왔]|넣[은었]",
            re.I,
        ),
    ),
)
_WHO = re.compile(
    r"\W*(?:who|which commit|what commit)\s+(?:first |originally |actually )?(\w+(?:\s+(?:back|out|away|rid)\b)?)", re.I
)
_PREFIX = re.compile(r"\s*(?:\[[^\]]*\]\s*)?(?:(\w+)(?:\([^)]*\))?!?:\s*)?")
_UPKEEP_TYPES = frozenset("fix bugfix hotfix docs doc test tests chore refactor style ci build perf deps lint".split())
_REVERTS = re.compile(r"(?:partial(?:ly)? )?(?:revert|roll ?back|back out|undo)", re.I)
_REMOVES = re.compile(
    r"(?:remov|drop|delet|stop|disabl|get rid|kill|purg|eliminat|strip|no longer|don'?t\b|do not\b|discontinu|retir)"
    r"|.*\b(?:rather than|instead of|no longer|in favou?r of)\b",
    re.I,
)
_ADDS = re.compile(r"(?:add|introduc|implement|creat|support|allow|enabl|new\b|initial|provid|first\b)", re.I)
_UPKEEP = re.compile(
    r"(?:fix|test|doc|updat|bump|refactor|renam|clean|typo|improv|lint|format|merg|mov|correct|mention|tweak|simplif)"
    r"|(?:add\w*|more|new|introduce\w*)\s+(?:\w+\s+){0,2}(?:tests?|docs?|documentation|examples?|comments?|changelog)\b",
    re.I,
)


def asked_action(query: str) -> str:
    """Return what a question says was done: "add", "remove" or "revert"; "" if nothing of it.

    >>> asked_action("Why was the cache taken back?"), asked_action("Who added the check that drops rows?")
    ('revert', 'add')
    """
    who = _WHO.match(query)
    for text in (who[1] if who else "", query):
        found = next((action for action, pattern in _ASKED if pattern.search(text)), "")
        if found:
            return found
    return ""


def compare_actions(asked: str, title: str) -> dict[str, float]:
    """Return what the title of a commit says that it does, as three signals of 0 or 1: what was `asked` (`same_action`), its
    opposite (`opposite_action`), or upkeep of what exists (`maintenance`). All are 0 if nothing was asked.

    >>> compare_actions("add", "Remove the rye bread")
    {'same_action': 0.0, 'opposite_action': 1.0, 'maintenance': 0.0}
    """
    found = dict.fromkeys(ACTION_SIGNALS, 0.0)
    if asked:
        done = _action_of(title)
        found["same_action"] = float(done == asked)
        found["opposite_action"] = float(bool(done) and done != asked and done != "maintenance")
        found["maintenance"] = float(done == "maintenance")
    return found


def _action_of(title: str) -> str:
    prefix = _PREFIX.match(title)
    kind, said = (prefix[1] or "").lower() if prefix else "", title[prefix.end() if prefix else 0 :]
    if kind == "revert" or _REVERTS.match(said):
        return _REVERT
    if _REMOVES.match(said):
        return _REMOVE
    if kind in _UPKEEP_TYPES or _UPKEEP.match(said):
        return "maintenance"
    return _ADD if kind in ("feat", "feature") or _ADDS.match(said) else ""
