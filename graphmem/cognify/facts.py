"""Step `facts`: sentences of a conversation or a commit message that state a decision, a cause, a fix, a rule or an open
end become facts that cite their exact place. What a rule does not recognise stays a turn; nothing is invented."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from graphmem.model.events import Event

NAME = "facts/1"
TYPES = frozenset({"user_prompt", "agent_response", "commit_observed"})
_LIMIT = 20_000
_SHORTEST, _LONGEST = 20, 400
# kind -> what its sentences say, English and Korean
CUES = {
    "decision": r"\b(?:decided (?:to|on|against)|we(?:'ll| will) (?:use|go with|keep|switch)|let's (?:use|go with|keep)|chose"
    r"|opted for|instead of|rather than|prefer(?:red)? to)\b|하기로 (?:했|결정)|결정했|대신",
    "cause": r"\b(?:root cause|because|caused by|due to|the (?:problem|issue|bug|reason) (?:is|was)|turns? out)\b"
    r"|때문|원인은|이유는",
    "fix": r"\b(?:fix(?:ed|es)|resolved|now (?:works|passes)|solved|workaround)\b|수정했|해결했|고쳤",
    "rule": r"\b(?:must(?: not)?|never|always|do not|don't|make sure|required to|should not)\b"
    r"|반드시|절대|하지 마|해야 (?:한다|합니다|해)",
    "failure": r"\b(?:fail(?:s|ed|ing)|crash(?:es|ed)|broken|does(?: not|n't) work|regress(?:ion|ed))\b"
    r"|실패|오류가|깨졌|안 된다",
    "preference": r"\bI (?:prefer|like|want|don't want|hate)\b|선호|좋아|원해",
}
_CUES = {kind: re.compile(pattern, re.I) for kind, pattern in CUES.items()}
_HEDGE = re.compile(r"\?\s*$|^(?:let me|i'll|i will|now (?:let|i)|next,? i)\b", re.I)


def derive(event: Event, node: tuple[str, str], item: str) -> dict[str, Any] | None:
    """The body of the derivation, None where the event states nothing."""
    facts = [fact for fact in _facts(event) if fact]
    if not facts:
        return None
    label, identifier = node
    return {
        "source": identifier,
        "label": label,
        "project": event.project,
        "session": event.session,
        "facts": facts,
    }


def _facts(event: Event) -> Iterator[dict[str, Any]]:
    from graphmem.language.sentences import split_sentences

    payload = event.payload
    if payload.get("role") == "system" or payload.get("agent"):
        return
    text = str(payload.get("content") or f"{payload.get('subject', '')}\n\n{payload.get('body', '')}")[:_LIMIT]
    files = [file["path"] for file in payload.get("files", ())][:20]
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if not _SHORTEST <= len(sentence) <= _LONGEST or "```" in sentence or _HEDGE.search(sentence):
            continue
        kind = next((kind for kind, cue in _CUES.items() if cue.search(sentence)), None)
        if kind:
            digest = hashlib.sha256(f"{event.id}:{start}:{sentence}".encode()).hexdigest()[:16]
            named = [path for path in files if path.rpartition("/")[2] in sentence]
            yield {"id": f"fact:{digest}", "kind": kind, "content": sentence, "start": start, "end": end,
                   "confidence": 0.6, "outcome": _outcome(kind), "files": named}  # fmt: skip


def _outcome(kind: str) -> str:
    return {"fix": "success", "failure": "failure"}.get(kind, "unknown")
