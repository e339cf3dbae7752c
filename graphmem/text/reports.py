"""Reads a session from its ends: what a person asked for, and what the agent reported when it was done. Both are shown
in sentences, without markup, pasted text, courtesies and offers. English and Korean; no model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.patterns import compile_later
from graphmem.text.passages import approximate_tokens
from graphmem.text.questions import is_request_for_answer
from graphmem.text.recall import written_by_host
from graphmem.text.sentences import sentences

_MAX_TURN_CHARS = 8_000  # characters of a turn that are read
_ARGUMENTS = compile_later(r"<command-args>\s*(\S.*?)\s*</command-args>", re.DOTALL)
_HEADED = compile_later(r"\A([^\n]{4,80}):\s*\n#{1,3} +([^\n]+)")  # "Implement this plan:", and its heading
_FENCED = compile_later(r"(?:```|~~~)[^\n]*\n.*?(?:(?:```|~~~)|\Z)", re.DOTALL)
_OPENING_TAG = compile_later(r"<([a-z][\w-]*)>")
_IMAGE = compile_later(r"\[(?:Image|Pasted text)[^\]\n]*\]")
_LEAD = compile_later(r"^(?:[-*+•▪]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*|[✅✓✔☑]\s*)+")
_BOLD = compile_later(r"\*\*|__(?=\w)|(?<=\w)__")
_TABLE = compile_later(r"^\s*\||^[\s|:+=─━-]+$")
# What stands before a report: "Done. Perfect! ".
_OPENING = compile_later(
    r"^(?:(?:(?:all )?(?:done|fixed|finished|complete|completed|set)|perfect|great|excellent"
    r"|good(?: (?:catch|point|idea|question))?|ok|okay|right|yes|yep|got it|understood|sure|thanks|sorry|absolutely"
    r"|exactly|confirmed|interesting|now|so|you(?:'re| are) (?:absolutely |completely )?right)\b"
    r"(?: to \w+[^.,!]{0,40})?\s*[.,!:—–-]+\s*)+",
    re.IGNORECASE,
)
# Says nothing to somebody who was not there: courtesies, offers, intentions, guesses, and the state of this minute.
_EMPTY = compile_later(
    r"^(?:here(?:'s| is| are)|let me|let's|i'?ll|i will|i'm going|i am going"
    r"|i (?:can|could|would|need|should|see|understand|notice|noticed|apologi[sz]e)\b|now (?:i|let|we|the)\b"
    r"|now (?!both|all|it|they|every|each|there|only|\w+s\b)[a-z]+\b"
    r"|would you|do you|want me|shall i|should i|if you|feel free|hope|happy to|you can (?:now )?\w+|you should|please|try"
    r"|run\b|next,? |to (?:test|try|verify)|(?:summary|changes made|what changed|result|overview|verdict"
    r"|option|step|phase|files? (?:changed|modified|created))\b.{0,20}$|option \d|file: "
    r"|(?:all|both|the) (?:\w+ ){0,4}(?:tests?|checks?|lint\w*|suite)(?: \w+)? (?:now )?"
    r"(?:pass\w*|succe\w+|(?:is|are) (?:clean|green|passing))"
    r"|(?:all|everything)\b.{0,24}\b(?:done|complete\w*|good|works?|clean|correct|green|pass\w*)\b"
    r"|(?:tests?|lint|build)(?: \w+)? (?:pass\w*|succe\w+)|looking|based on|note that i|as (?:you|requested|shown)"
    r"|there (?:are|is)\b|this (?:session|conversation))"
    r"|^(?:the )?[\w -]{2,30} (?:is|are)(?: now| all)? (?:complete|completed|done|ready|finished|in place|as follows|correct)[.!]?$"
    r"|\b(?:i (?:think|bet|guess|suspect|believe|assume)|probably|maybe|perhaps|might|seems?|likely|looks like)\b"
    r"|(?:하겠습니다|할게요|드릴까요|해볼게요|보겠습니다)[.!]?$|^(?:네|좋습니다|알겠습니다|완료했습니다)[.!,]?\s*$",
    re.IGNORECASE,
)
_POINTS = compile_later(r"(?:this|that|it|its|they|these|those|both|neither|here)\b", re.IGNORECASE)
_INTRODUCES = compile_later(
    r"(?:I(?:'ve| have)? |we (?:have )?)?(?:successfully |also )?(?:added|fixed|created|updated|implemented|removed"
    r"|renamed|changed)\b",
    re.IGNORECASE,
)
_HANGUL = compile_later(r"[가-힣]")
_CODE = compile_later(r"`[^`]*`|(?<![^\s`])\S*[/_.(]\S*")  # from the start of a word only: a long one is read once
_WORD = compile_later(r"[^\W\d_]{2,}")
_FEWEST_WORDS, _FEWEST_KOREAN = 3, 2  # of a sentence, besides code
_OFFERS = compile_later(
    r"\b(?:let me know|if you(?:'d)? (?:want|like|prefer)|would you like|want me to|shall I)\b", re.IGNORECASE
)
# What was done, found or settled.
_TELLS = compile_later(
    r"\b(?:add(?:ed|s)|remov(?:ed|es)|fix(?:ed|es)|chang(?:ed|es)|updat(?:ed|es)|replac(?:ed|es)|renam(?:ed|es)|mov(?:ed|es)"
    r"|creat(?:ed|es)|implement(?:ed|s)|introduc(?:ed|es)|rewr(?:ote|ites|itten)|refactored|extract(?:ed|s)|merg(?:ed|es)"
    r"|revert(?:ed|s)|deleted|disabled|enabled|switched|bumped|upgraded|migrated|committed|pushed|opened|closed|resolv(?:ed|es)"
    r"|now\b|no longer|instead of|because|root cause|caused by|due to|the (?:fix|cause|problem|issue|bug|reason)\b|decided|agreed"
    r"|chose|turns? out|requires?|must|cannot|can't|doesn't|does not|isn't|only|never|always|still)\b"
    r"|(?:했|됐|되었|하였)(?:습니다|다|음)|때문|원인|해결|수정|추가|변경|제거",
    re.IGNORECASE,
)


def request_of(prompt: str) -> str:
    """Return what a person asks for in a prompt, on one line: the arguments of a slash command, "Implement this plan: its
    heading", otherwise the text without pasted blocks. "" if the program of the agent wrote it."""
    if given := _ARGUMENTS.search(prompt[:_MAX_TURN_CHARS]):
        prompt = given[1]
    elif written_by_host(prompt):
        return ""
    if headed := _HEADED.match(prompt[:_MAX_TURN_CHARS].strip()):
        return " ".join(f"{headed[1]}: {_BOLD.sub('', headed[2])}".split())
    text = _IMAGE.sub(" ", _without_elements(_FENCED.sub(" ", prompt[:_MAX_TURN_CHARS])))
    lines = [_LEAD.sub("", line) for line in text.split("\n") if not _TABLE.match(line)]
    return " ".join(" ".join(lines).split())


def shorten_request(request: str, limit: int) -> str:
    """Return the first sentences of a request that fit, without those that only acknowledge; where these say little, also as
    many words of the next one.

    >>> shorten_request("OK, later. First: secure_filename loses the extension of names without ASCII letters.", 50)
    'First: secure_filename loses the extension of…'
    """
    said = [one.strip() for one in sentences(request)]
    while len(said) > 1 and _ACKNOWLEDGES.match(said[0]):
        said.pop(0)
    kept, rest = "", " ".join(said)
    for sentence in said:
        longer = f"{kept} {sentence}".strip()
        if len(longer) > limit:
            break
        kept = longer
    if kept and (len(kept) >= _ENOUGH * limit or len(kept) == len(rest)):
        return kept
    head = rest[: limit - 1]
    return rest if len(rest) < limit else f"{head[: head.rfind(' ')] if ' ' in head else head}…"


def is_acknowledgement(text: str) -> bool:
    """Return whether a text only says that something was read, in few words.

    >>> is_acknowledgement("OK, later."), is_acknowledgement("네, 좋아요."), is_acknowledgement("OK, 4096 bytes.")
    (True, True, False)
    """
    return len(text) <= _LONGEST_ACKNOWLEDGEMENT and _ACKNOWLEDGES.match(text.strip()) is not None


_LONGEST_ACKNOWLEDGEMENT = 60  # characters
_ENOUGH = 0.3  # share of the room for a request that its first sentences must fill to be told alone
# What only says that something was read, and tells nothing of what is asked.
_ACKNOWLEDGES = compile_later(
    r"^(?:(?:ok|okay|later|thanks|thank you|good|great|fine|yes|yep|no|nope|sure|right|perfect|nice|well done|please|not now|next"
    r"|looks good|lgtm|sounds good|go ahead|done|cool|alright"
    r"|understood|got it|noted|will do|very|all|hi|hello|네|예|좋아|좋습니다|응|그래"
    r"|나중에|고마워|감사합니다|알겠어|알겠습니다"
    r"|됐어|아니|안녕)요?\b[,.! ]*)+$",
    re.IGNORECASE,
)


# An edit that a program applies from the answer itself, as aider does: the path, an opening fence, the text to replace.
_EDIT_BLOCK = compile_later(r"^(?P<path>[\w./@\[\]()-]{1,200})\n(?:```|~~~)[^\n]*\n<{5,9} SEARCH$", re.MULTILINE)


def edited_paths(answer: str) -> list[str]:
    """Return the files that an answer edits by search-and-replace blocks, each once, in order.

    >>> edited_paths("I fix it.\\n\\nsrc/a.py\\n```python\\n<<<<<<< SEARCH\\nx = 1\\n=======\\nx = 2\\n>>>>>>> REPLACE\\n```")
    ['src/a.py']
    """
    return list(dict.fromkeys(found["path"] for found in _EDIT_BLOCK.finditer(answer)))


def closing_report(text: str, budget: int) -> str:
    """Return what an agent reports that it did or found, whole sentences within a token budget; "" if the text only
    announces the next step, asks, or shows output."""
    kept: list[str] = []
    left, tells, at = budget, False, -1
    for place, sentence in _reporting(text[:_MAX_TURN_CHARS]):
        size = approximate_tokens(sentence) + 1
        if _POINTS.match(sentence) and not (kept and place == at + 1):
            continue  # what it points at is not shown
        if size > left:
            if kept:
                break
            continue
        kept.append(sentence)
        left, at = left - size, place
        tells = tells or bool(_TELLS.search(sentence))
    return " ".join(kept) if tells else ""


def report_sentences(text: str) -> list[str]:
    """Return the sentences of an agent's text that say something, without layout; of talk there is none."""
    return [sentence for _, sentence in _reporting(text[:_MAX_TURN_CHARS])]


def _without_elements(text: str) -> str:
    """Return a text with a blank for each element of markup, from its opening tag to its closing one."""
    kept, at, never_closed = [], 0, set()
    for tag in _OPENING_TAG.finditer(text):
        name = tag[1]
        if tag.start() < at or name in never_closed:
            continue
        closing = text.find(f"</{name}>", tag.end())
        if closing < 0:
            never_closed.add(name)
            continue
        kept.append(text[at : tag.start()])
        at = closing + len(name) + 3
    return " ".join([*kept, text[at:]])


def _reporting(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a report with their numbers, without layout."""
    for place, raw in enumerate(sentences(_without_elements(_FENCED.sub("\n\n", text)))):
        line = raw.strip()
        if line.startswith("#") or _TABLE.match(line):
            continue
        plain = _OPENING.sub("", " ".join(_BOLD.sub("", _LEAD.sub("", line)).split()))
        if plain.rstrip("*_ ").endswith(":"):  # introduces a list
            if not _INTRODUCES.match(plain):
                continue
            plain = plain.rstrip(":*_ ").replace(" the following", "", 1)
        words = len(_WORD.findall(_CODE.sub(" ", plain)))
        if (
            words < (_FEWEST_KOREAN if _HANGUL.search(plain) else _FEWEST_WORDS)
            or _EMPTY.search(plain)
            or _OFFERS.search(plain)
            or is_request_for_answer(plain)
            or plain.count("`") % 2
        ):
            continue
        plain = plain[0].upper() + plain[1:] if re.match(r"[a-z]+ ", plain) else plain
        yield place, plain if plain[-1] in ".!?。…" else f"{plain}."


# Marks of layout: headings, bullets, emphasis, ticks and other pictures.
_HEADING = compile_later(r"(?:^|(?<=\s))#{1,6}\s.*", re.DOTALL)
_LAYOUT = compile_later(
    r"\*\*|__(?=\w)|(?<=\w)__|^(?:(?:[-*+•]|\d{1,2}[.)])\s+)+|[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]\s*"
)
# What an agent says that it does next: it has done it since.
_NARRATES = compile_later(
    r"(?:(?:now|next|first|then|ok|okay|great|perfect|good|so|since [^,]{3,120}),? )*(?:let me|let's|i'll|i will"
    r"|i'm going to|i am going to)\b"
    r"|(?:next steps?|summary|todo|remaining|advantages|benefits|results?|status)\b[^.]{0,20}:?$",
    re.IGNORECASE,
)
_FEWEST_TOLD = 4  # words of a line that tells something


def plain_line(text: str) -> str:
    """Return a statement without marks of layout, "" if it is a heading, or only tells what its speaker is about to do.

    >>> plain_line("- **`main`** is the production branch"), plain_line("## Next steps:"), plain_line("Now let me update it.")
    ('`main` is the production branch', '', '')
    """
    plain = " ".join(_LAYOUT.sub("", _HEADING.sub("", " ".join(text.split()))).split())
    if not plain or _NARRATES.match(plain) or plain.endswith(":"):
        return ""
    return plain if re.search(r"[가-힣]", plain) or len(plain.split()) >= _FEWEST_TOLD else ""
