"""The operation that answers when, by whom and why something was removed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from graphmem.ask.evidence import FEW, Evidence, Sources, author_line, revision_line, shortened
from graphmem.ask.types import PLAIN_WORDS, Question, is_version
from graphmem.code import authors
from graphmem.model.code_answers import Revision
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem
from graphmem.text.sentences import sentences
from graphmem.text.words import stopwords

_COMMON = 20  # lines that still hold a text of which only a part was removed; more lines: an ordinary word
_READ = 20  # commits whose whole message is read
_REMOVED_FROM = re.compile(r"\b(?:remov|delet|dropp?|strip|tak|took)\w*(?: out)? (?:from|of)\b", re.I)
_REMOVES = re.compile(r"\b(?:remov|drop|delet|rid|eliminat|strip|clean|unused|kill|replac|without)\w*", re.I)
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_VERBS = frozenset(map(stem, "removed deleted dropped taken took rid gone ripped thrown disappeared".split()))


def find_removal(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the last commit that takes the text out, with author, date and reason; where it is still there, that is
    said first. If the text is not a definition, prefer the last commit whose subject says that it removes it. An ordinary
    word is no certain answer unless the message of the commit names all that the question is about."""
    root = sources.code.root()
    important = _important_words(question.text)
    for text in _removed_things(question):
        found = authors.find_occurrence_changes(root, text, sources.git_timeout_s)
        gone = [each.commit for each in found.changes if each.change < 0]
        if not gone:
            continue
        named = [commit for commit in gone if names_text(commit, text) and _REMOVES.search(commit.subject)]
        read = [*named, *(commit for commit in gone if commit not in named)][:_READ]
        said = next((commit for commit in read if _says(commit, commit in named, important, sources)), None)
        last = said or (named[0] if named else gone[0])
        left = sources.code.text(rf"(?<!\w){re.escape(text)}(?!\w)", is_regex=True, limit=3)
        is_gone = not left.total or (found.is_definition and not sources.code.known(text))
        is_name = text in question.exact or found.is_definition
        mentioned = [commit for commit in authors.find_mentions(root, [text], FEW) if commit.hash != last.hash]
        mentions = [f"mentioned in {revision_line(commit)}" for commit in mentioned][:3]
        removal = f"`{text}` was {'' if is_gone else 'last '}removed by {author_line(last)}"
        body = authors.read_message(root, last.hash).partition("\n")[2].strip()
        reason = [f"message: {shortened(body)}"] if body else []
        still = [f"still there: {row.path}:{row.line}: {shortened(row.text)}" for row in left.matches]
        still.append(
            f"{left.total} line{'s hold' if left.total != 1 else ' holds'} it now"
            if left.total
            else "no line holds it now"
        )
        is_sure = is_gone or left.total <= _COMMON or is_version(text)
        is_exact = (is_gone and is_name) or (said is not None and is_sure)
        lines = [removal, *reason, *still, *mentions] if is_exact else [*mentions, removal, *reason, *still]
        return Evidence(tuple(lines), (f"graphmem code text {quote(text)} --patches",), is_exact, (last.hash,))
    return None


def names_text(commit: Revision, text: str) -> bool:
    """Return whether the subject of a commit has a text as a word."""
    return re.search(authors.word_pattern(text), commit.subject, re.I) is not None


def _says(commit: Revision, is_named: bool, words: Sequence[str], sources: Sources) -> bool:
    """Return whether a sentence of the message says that all of these were removed; if its subject names one (`is_named`), the
    whole message may name the others."""
    message = authors.read_message(sources.code.root(), commit.hash)
    parts = [message] if is_named else []
    parts += [part for part in sentences(message.replace("\n", "\n\n")) if _REMOVES.search(part)]
    return any({stem(word.lower()) for word in _WORD.findall(part)}.issuperset(words) for part in parts)


def _important_words(text: str) -> list[str]:
    """Return the stems of the words that a question is about: names of two letters, too, and versions as a whole.

    >>> _important_words("why was support for Windows XP dropped in 3.7?")
    ['window', 'xp', '3.7']
    """
    asked = (
        word
        for place, word in enumerate(_WORD.findall(text))
        if (place and word[:1].isupper()) or (len(word) > 2 and word.lower() not in PLAIN_WORDS | stopwords())
    )
    return [found for found in dict.fromkeys(stem(word.lower()) for word in asked) if found not in _VERBS]


def _removed_things(question: Question) -> Sequence[str]:
    """Return what a question asks the removal of, without what it was removed from."""
    end = _REMOVED_FROM.search(question.text)
    before = question.text[: end.start()] if end else ""
    return [text for text in question.subjects if text in before] or question.subjects
