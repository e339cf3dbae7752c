"""Makes the weights of `retrieve/calibrate.py`: `python -m graphmem.bench.calibration DIR`; DIR holds repositories (bare ones,
too). Each is indexed with its commits, documents and symbols; questions are worded from a sentence of one item, or from what
a symbol does, with words left out, replaced and added, and asked with the item and without it; foreign ones are those of the
next repository. It prints a reliability table of repositories that were left out of the fit."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.bench.confidence import auroc
from graphmem.codegraph.build import Delta
from graphmem.codegraph.languages import for_path
from graphmem.codegraph.worker import parse_source
from graphmem.extract.documents import split_sections
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.ports.text import ItemFilter
from graphmem.projections.code import diff_builds
from graphmem.retrieve import calibrate
from graphmem.retrieve.analyse import analyse_query
from graphmem.retrieve.families import split_by_family
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.present import to_datetime
from graphmem.retrieve.rank import WEIGHTS
from graphmem.retrieve.records import Request
from graphmem.retrieve.retriever import merge_families, rank_family
from graphmem.text.sentences import sentences
from graphmem.text.words import content_words, stopwords

_QUESTIONS = 60  # of each kind and repository
_COMMITS, _SYMBOLS, _FILES = 2_000, 3_000, 300
_BY_BODY = 0.5  # share of the questions about a symbol that ask what it does
_BY_NAME = 0.2  # share of the questions that only name what they mean
_HITS = 10
_NOW = 1_700_000_000_000_000
_OPENINGS = {
    "commit": ("why was", "when was", "who changed", "why did we change", "what changed in", ""),
    "document": ("how do i", "how to", "what is", "where is it documented how", "can i", ""),
    "symbol": ("where is", "which function", "what does", "how does", "which class handles", ""),
    "turn": ("what did we decide about", "why", "what was said about", "when did", "who wants", ""),
}
_WORD = re.compile(r"[^\W_][\w'.-]*")


class Asked(NamedTuple):
    """One question: the features of its first hits with whether each answers, and those of the whole answer."""

    repository: str
    kind: str
    there: bool
    foreign: bool
    hits: list[tuple[dict[str, float], str, bool]]
    whole: dict[str, float]


def main(folder: Path, target: Path) -> None:
    """Fit on all repositories, write the weights, and print what repositories that were left out say."""
    asked = [one for name, items, foreign in _cases(folder) for one in _ask_all(name, items, foreign)]
    target.write_text(json.dumps(fit(asked), indent=1, ensure_ascii=False) + "\n", "utf-8")
    names = sorted({one.repository for one in asked})
    rows: dict[str, list[tuple[float, bool]]] = {}
    for left_out in names:
        fitted = fit([one for one in asked if one.repository != left_out])
        for model, pairs in _judged(fitted, [one for one in asked if one.repository == left_out]).items():
            rows.setdefault(model, []).extend(pairs)
    for model, pairs in rows.items():
        print(model, *_reliability(pairs), sep="\n  ")  # noqa: T201


# -- what is asked


def _cases(folder: Path) -> Iterator[tuple[str, list[Item], list[Item]]]:
    found = [(path.name, items) for path in sorted(folder.iterdir()) if (items := list(_items(path)))]
    for (name, items), (_, foreign) in zip(found, [*found[1:], *found[:1]], strict=True):
        yield name, items, foreign


def _items(repository: Path) -> Iterator[Item]:
    """Commits, sections of documents and Python symbols at the newest commit; bodies of commits stand for turns, too."""
    log = _git(repository, "log", f"-{_COMMITS}", "--no-merges", "--format=%H%x1f%s%x1f%b%x1f%at%x1e", "HEAD")
    for number, record in enumerate(part.strip() for part in log.split("\x1e")):
        name, subject, body, at = (record.split("\x1f") + [""] * 4)[:4]
        if subject:
            yield Item(f"c{number}", "commit", subject, body.strip(), int(at or 0) * 1_000_000, name, event=name)
        if len(body) > 200 and number % 2:
            yield Item(f"t{number}", "turn", "", body.strip(), number, session=f"s{number // 40}", sequence=number)
    symbols = files = 0
    for path in _git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if path.endswith((".md", ".rst", ".txt")) and "LICENSE" not in path and files < _FILES:
            files += 1
            for part, section in enumerate(split_sections(_git(repository, "show", f"HEAD:{path}"), path)):
                yield Item(f"d{path}{part}", "document", section.title, section.text, _NOW, f"{path}:{section.line}")
        elif symbols < _SYMBOLS and (language := for_path(path)):
            for item in _symbols(path, _git(repository, "show", f"HEAD:{path}"), language):
                symbols += 1
                yield item


def _symbols(path: str, source: str, language: str) -> Iterator[Item]:
    facts = parse_source(path, source.encode("utf-8", "replace"), language).facts
    changes = diff_builds("", Delta(symbols_added=facts.symbols if facts is not None else ()), None, _NOW)
    yield from changes.items


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def _worded(item: Item, foreign: Sequence[Item], chance: random.Random, thesaurus: WordLlamaEmbedder) -> str:
    """Return a question that the item answers: its name, or of one sentence some words, one in other words, some of
    the asker's own."""
    if item.title and chance.random() < _BY_NAME:
        names = item.title.split(".") if item.kind == "symbol" else [item.title]
        return ".".join(names[-chance.randint(1, 2) :])
    if item.body and chance.random() < _BY_BODY:
        return _asked_by_body(item, chance)
    said = [one for one in sentences(f"{item.title}. {item.text}") if len(content_words(one)) >= 4 and len(one) < 400]
    if not said:
        return ""
    words = [word for word in _WORD.findall(chance.choice(said)) if word.lower() not in stopwords() and len(word) < 40]
    kept = sorted(chance.sample(range(len(words)), min(len(words), chance.randint(2, 7))))
    chosen = [words[at] for at in kept]
    if chosen and chance.random() < 0.6:
        at = chance.randrange(len(chosen))
        near = thesaurus.related([chosen[at].lower()], 4, 0.3).get(chosen[at].lower()) or []
        if near:
            chosen[at] = chance.choice(near)[0]
    for _ in range(chance.choice((0, 0, 1, 2))):
        own = _WORD.findall(chance.choice(foreign).text)
        if own:
            chosen.insert(chance.randint(0, len(chosen)), chance.choice(own))
    opening = chance.choice(_OPENINGS[item.kind]) if len(chosen) < 8 else ""
    return f"{opening} {' '.join(chosen)}{'?' if opening else ''}".strip()


def _asked_by_body(item: Item, chance: random.Random) -> str:
    """Return a question of how something is done: some words of what a symbol does, and mostly one of its name."""
    words = item.body.split()
    first = chance.randrange(max(1, len(words) - 6))
    near = words[first : first + 8]
    chosen = chance.sample(near, min(len(near), chance.randint(2, 4)))
    named = [
        part for part in re.findall(r"[a-z]{3,}", item.title.rpartition(".")[2].lower()) if part not in stopwords()
    ]
    if named and chance.random() < 0.8:
        chosen.insert(0, chance.choice(named))
    return f"{chance.choice(('how does', 'where is', 'how is', ''))} {' '.join(chosen)}".strip()


def _ask_all(name: str, items: list[Item], foreign: list[Item]) -> Iterator[Asked]:
    chance, embedder = random.Random(name), WordLlamaEmbedder()
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as place:
        ports = _filled(Path(place) / "index.db", items, embedder)
        for kind in _OPENINGS:
            for own, pool in ((True, items), (False, foreign)):
                chosen = [item for item in pool if item.kind == kind]
                for item in chance.sample(chosen, min(len(chosen), _QUESTIONS if own else _QUESTIONS // 3)):
                    if query := _worded(item, foreign, chance, embedder):
                        yield from _ask(ports, name, query, item, own=own)
        ports.text.close()


def _filled(path: Path, items: list[Item], embedder: WordLlamaEmbedder) -> Ports:
    index = Fts5Index(path)
    index.apply([], items, [], {})
    outbox = SqliteOutbox(path, embedder.name, embedder.dimensions, SystemClock())
    while jobs := outbox.claim(2_000):
        outbox.complete(jobs, embedder.embed([job.text for job in jobs]))
    outbox.close()
    vectors = UsearchIndex(path, embedder.name, embedder.dimensions, index.mask)
    return Ports(index, index.mentions, SystemClock(), vectors, embedder, embedder)


def _ask(ports: Ports, name: str, query: str, item: Item, *, own: bool) -> Iterator[Asked]:
    reader, request = Reader(ports), Request(query, _HITS, ItemFilter(), to_datetime(_NOW), weights=WEIGHTS)
    analysis = analyse_query(ports, request)
    families = [rank_family(reader, part, analysis) for part in split_by_family(ports, request, analysis)]
    if not any(one.ranked for one in families):
        return
    said = " ".join(item.text.split())
    answers = {
        one.row
        for one in reader.load(hit.row for one in families for hit in one.ranked[: 2 * _HITS])
        if own and (one.item.id == item.id or (one.item.text and " ".join(one.item.text.split()) in said))
    }
    for gone in (set(), answers) if own and answers else (set(),):
        left = [replace(one, ranked=[hit for hit in one.ranked if hit.row not in gone]) for one in families]
        ranked = merge_families(reader, request, analysis, left).ranked
        kinds = {one.row: one.item.kind for one in reader.load(hit.row for hit in ranked[:_HITS])}
        hits = [(dict(hit.features), kinds[hit.row], hit.row in answers) for hit in ranked[:_HITS] if hit.features]
        evidence = calibrate.answer_evidence(ports, request, ranked)
        yield Asked(name, item.kind, bool(answers - gone), not own, hits, evidence)


# -- the fit


def fit(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the three models."""
    hits = [hit for one in asked for hit in one.hits]
    kinds = sorted({kind for _, kind, _ in hits})
    meant = _logistic(
        [features | {f"kind:{kind}": 1.0} for features, kind, _ in hits], [answers for *_, answers in hits]
    )
    meant["kinds"] = {kind: meant["weights"].pop(f"kind:{kind}", 0.0) for kind in kinds}
    whole = [_whole(meant, one) for one in asked]
    own = [place for place, one in enumerate(asked) if not one.foreign]
    known = _logistic(whole, [not one.foreign for one in asked], balanced=True)
    there = _logistic([whole[place] for place in own], [asked[place].there for place in own], balanced=True)
    answerable = sorted(_apply(known, whole[place]) for place in own if asked[place].there)
    known["bias"] += _logit(calibrate.SUGGESTED) - _logit(answerable[len(answerable) // 33])  # 3 % of them fall below
    return {"meant": meant, "known": known, "there": there}


def _whole(meant: dict[str, Any], one: Asked) -> dict[str, float]:
    """Return the features of an answer with the chances that this model gives its hits."""
    chances = sorted(
        (_apply(meant, features, meant["kinds"].get(kind, 0.0)) for features, kind, _ in one.hits), reverse=True
    )
    return one.whole | {"chance": chances[0], "gap": chances[0] - (chances[1] if len(chances) > 1 else 0.0)}


def _apply(model: dict[str, Any], features: dict[str, float], more: float = 0.0) -> float:
    total = model["bias"] + more + sum(weight * features.get(name, 0.0) for name, weight in model["weights"].items())
    return float(1 / (1 + np.exp(-total)))


def _logit(chance: float) -> float:
    return float(np.log(chance / (1 - chance)))


def _logistic(rows: Sequence[dict[str, float]], truth: Sequence[bool], *, balanced: bool = False) -> dict[str, Any]:
    names = sorted({name for row in rows for name in row})
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    model = LogisticRegression(C=1.0, max_iter=2_000, class_weight="balanced" if balanced else None)
    model.fit(matrix, np.array(truth))
    weights = {name: round(float(weight), 3) for name, weight in zip(names, model.coef_[0], strict=True)}
    return {"bias": round(float(model.intercept_[0]), 3), "weights": weights}


def _judged(fitted: dict[str, Any], asked: Sequence[Asked]) -> dict[str, list[tuple[float, bool]]]:
    meant = fitted["meant"]
    found: dict[str, list[tuple[float, bool]]] = {"there": [], "known": []}
    for one in asked:
        whole = _whole(meant, one)
        for features, kind, answers in one.hits:
            chance = _apply(meant, features, meant["kinds"].get(kind, 0.0))
            found.setdefault(f"meant {kind}", []).append((chance, answers))
        if not one.foreign:
            found["there"].append((_apply(fitted["there"], whole), one.there))
        found["known"].append((_apply(fitted["known"], whole), not one.foreign))
    return found


def _reliability(pairs: Sequence[tuple[float, bool]]) -> Iterator[str]:
    chances, truth = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    yield f"auroc {auroc(chances, truth)} of {len(pairs)}"
    for part in range(10):
        inside = (chances >= part / 10) & (chances < (part + 1) / 10 + (part == 9))
        if inside.sum() >= 10:
            yield f"{chances[inside].mean():.2f} predicted, {truth[inside].mean():.2f} true, {int(inside.sum())}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(calibrate.__file__).parent / "data" / "calibration.json")
