"""A client of the HTTP API of `graphmem serve`, with types. It needs nothing but this file, which `client_writer`
writes.

    client = Client("http://127.0.0.1:37777", token)
    for hit in client.search(query="why whole cents")["hits"]:
        print(hit["title"])
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any, NotRequired, TypedDict


class ApiError(Exception):
    """A refused request: its status, code, and a sentence that says what to do."""

    def __init__(self, status: int, code: str, message: str, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.data = status, code, message, data


class Allow(TypedDict):
    """Allow"""

    id: str


class Analytics(TypedDict):
    """The figures of the last `days` days; areas and junk are of all times."""

    days: int
    injected: Injected
    failures: list[RepeatedFailure]
    areas: list[AreaKnowledge]
    junk: Junk


class Answer(TypedDict):
    """What is known about a question. `lines` are the evidence, each with its place, author, date or citation; `commands`
    give the rest; `missing` are names of the question that the repository has nowhere, which lowers the confidence;
    `degraded` lists what failed, with reasons. `quotes` are lines (number, text) of symbols among the hits, by the id of
    the hit."""

    question: str
    type: str
    confidence: str
    lines: list[str]
    commands: list[str]
    hits: list[Hit]
    missing: list[str]
    withheld: int
    degraded: dict[str, str]
    quotes: dict[str, list[list[Any]]]


class ApiChange(TypedDict):
    """A public name that differs between two states. `change`: removed, changed, moved or added; `symbol` is where it is, or
    was if it is removed; `before` and `after` are signatures, of a moved one its names; `members` counts public names in
    it."""

    change: str
    symbol: Place
    before: str
    after: str
    members: int


class ApiDiff(TypedDict):
    """How the public surface of the code differs between two states: the names of both, rows in the order of `ApiChange`,
    their numbers by kind of change, and how many were left out."""

    before: str
    after: str
    changes: list[ApiChange]
    counts: dict[str, int]
    left_out: int


class Approve(TypedDict):
    """Approve"""

    id: list[str]
    content: NotRequired[str]
    undo: NotRequired[bool]


class Architecture(TypedDict):
    """An overview of a tree. `cycles` are files that import each other, `package_cycles` folders that use each other."""

    packages: list[PackageRow]
    entry_points: list[Place]
    central: list[list[Any]]
    complex: list[list[Any]]
    untested: list[Place]
    cycles: list[list[str]]
    languages: dict[str, int]
    left_out: int
    package_cycles: list[list[str]]


class Archive(TypedDict):
    """Archive"""

    id: str
    same_as: NotRequired[str]


class AreaKnowledge(TypedDict):
    """A folder with its files, how often commits changed them, and what is known about them. `is_gap`: it belongs to the
    most changed half, and nothing is known about it."""

    area: str
    files: int
    changes: int
    facts: int
    gotchas: int
    is_gap: bool


class BlockedTask(TypedDict):
    """A blocked task, its root blockers, and the tasks that closing it would unblock."""

    task: Task
    blockers: list[Blocker]


class Blocker(TypedDict):
    """An effective blocker, after all resolutions, with the chain of ids from the task to it."""

    kind: str
    id: str
    title: str
    chain: list[str]
    state: str


class BlockerRef(TypedDict):
    """What a task waits for: an entity by kind and id, the original text, a confidence in [0, 1] with its label (`artifact`,
    `task_id`, `title`, `condition`, `placeholder`, `given`), and up to five candidate task ids."""

    kind: str
    id: str
    text: str
    confidence: float
    label: str
    candidates: list[str]


class Call(TypedDict):
    """One call: the other end, its line, how it was resolved, and the confidence. `text` is the line, "" if it is not
    quoted, and what differs in `further`, the other lines of the caller that have the name."""

    symbol: Place
    line: int
    strategy: str
    confidence: float
    text: str
    further: list[int]


class CallSite(TypedDict):
    """An unresolved call with its reason ("unknown receiver", "dynamic", "computed name", ...)."""

    scope: str
    file: str
    line: int
    column: int
    name: str
    text: str
    reason: str


class Calls(TypedDict):
    """Callers or callees of `symbol`; `total` is the full count. Callers are grouped by file, the file with the most certain
    call first and tests last, then ordered by line; callees by line. Callers of something that is not callable (a field,
    type or module) are its users or importers. `open_sites` counts unresolved calls that might belong here, `open_places`
    are the first of them (FILE:LINE), `open_functions` the names of the functions around these ("" if none); lines that
    the rows name are left out. `hidden` counts rows and unresolved calls that a filter leaves out, `hidden_tests` those
    of them in tests. `stale` lists files changed since indexing; `left_out` counts rows cut by the limit. For callers,
    `through_base` counts calls of overridden methods, or of the same name on an external base type (`may_run` are the
    first of the calling symbols, with the line of the call), and `handed_on` counts references without a call, whose
    receiver may call it (`handed_places` are the first of them). `own`: the rows are callees, so their lines are in the
    file of `symbol`. `is_partial`: value flow was not yet computed, so calls may be missing. `family` are the methods
    that override `symbol` or the same one, whose callers are included; `below` are the first calls of methods that
    override it where the receiver is known to be of a subtype (as in `may_run`), `of_overriding` counts them. `templates`
    are the lines of templates (FILE:LINE) that name a member, perhaps one of another object."""

    symbol: Place
    calls: list[Call]
    open_sites: int
    stale: list[str]
    left_out: int
    through_base: int
    handed_on: int
    own: bool
    total: int
    open_places: list[str]
    handed_places: list[str]
    is_partial: bool
    may_run: list[Place]
    family: list[Place]
    open_functions: list[str]
    hidden: int
    hidden_tests: int
    below: list[Place]
    of_overriding: int
    templates: list[str]


class Candidate(TypedDict):
    """A task that a text may refer to. `score` in [0, 1] is comparable across results."""

    task: Task
    score: float
    method: str


class Changes(TypedDict):
    """Settings by dotted key; null restores the default."""

    changes: dict[str, str | bool | int | float | None]


class CodePaths(TypedDict):
    """The shortest paths between two symbols; none if `steps` are not sufficient. `left_out` counts further paths.
    `is_partial`: value flow was not yet computed, so calls may be missing."""

    start: Place
    end: Place
    paths: list[list[PathStep]]
    steps: int
    left_out: int
    reverse: bool
    is_partial: bool


class CommitChanges(TypedDict):
    """A commit with what it changed, symbol by symbol, in the order of the files."""

    commit: str
    message: str
    patches: list[SymbolPatch]


class Compacted(TypedDict):
    """How many memories were made of buffered turns."""

    memories: int


class Conclude(TypedDict):
    """Conclude"""

    memories: list[str]
    session: NotRequired[str | None]


class Conclusions(TypedDict):
    """What was saved (id and text) and what was refused (text and reason)."""

    saved: list[dict[str, str]]
    refused: list[dict[str, str]]


class Condition(TypedDict):
    """Something that must become true. `resolved_to` is the task, condition or artifact it turned out to be; `resolved`: it
    no longer blocks by itself. A placeholder represents an unnamed blocker."""

    id: str
    text: str
    placeholder: bool
    task: str
    candidates: list[str]
    resolved: bool
    resolved_to: str
    resolved_kind: str
    confidence: float
    rejected: list[str]
    at: str


class Consolidated(TypedDict):
    """The decisions of a consolidation: merged pairs (kept, absorbed, similarity) and linked pairs (a, b, similarity)."""

    merged: list[list[Any]]
    linked: list[list[Any]]


class ConsolidatedMemory(TypedDict):
    """A memory that endless mode made of several events; `sources` are their ids."""

    id: str
    summary: str
    topics: list[str]
    sources: list[str]
    confidence: float
    at: str
    shown: int


class ContextRow(TypedDict):
    """A blocker as it was named, and what it now refers to."""

    task: Task
    blocker: BlockerRef
    target: str
    state: str


class DeadReport(TypedDict):
    """Unused symbols, largest first, with their size in lines. `spared` counts by reason symbols that have no visible use
    but are not reported; `only_tests` are those that only tests use; `values` are fields, constants and variables that
    nothing names; `doubts` are spared ones, with the place (FILE:LINE) where their name occurs; `offered` are those that
    nothing but a re-export names; `followers` are used only by what the report lists; `public` are exported functions and
    classes that nothing in the tree uses, if the report leaves exported symbols out. `path` is what the report is
    restricted to."""

    dead: list[list[Any]]
    spared: dict[str, int]
    left_out: int
    only_tests: list[list[Any]]
    values: list[list[Any]]
    doubts: list[list[Any]]
    offered: list[list[Any]]
    followers: list[list[Any]]
    public: list[list[Any]]
    path: str


class Deny(TypedDict):
    """Deny"""

    id: str


class Detail(TypedDict):
    """An item in full. `tokens` is the size of its content; `related` are citations of items that share an entity; `status`
    and `against` are as in `Hit`."""

    id: str
    ref: str | None
    kind: str
    title: str
    content: str
    at: str
    session: str | None
    role: str
    tags: list[str]
    tokens: int
    has_code: bool
    files: list[str]
    citation: str
    related: list[str]
    origin: str
    suspicious: list[str]
    withheld: bool
    status: str
    against: str


class DrawnEdge(TypedDict):
    """A relation of a drawing."""

    source: str
    relation: str
    target: str


class DrawnNode(TypedDict):
    """A node of a drawing; `until` is when it stopped being true."""

    id: str
    label: str
    title: str
    at: str | None
    until: str | None


class EndlessEnable(TypedDict):
    """EndlessEnable"""

    days: NotRequired[int]


class EndlessReport(TypedDict):
    """The result of enabling, disabling or consolidating."""

    mode: str
    loaded: int
    memories: int
    events: int
    details: list[dict[str, Any]]


class EndlessStatus(TypedDict):
    """State of endless mode. `continuity` in [0, 1] is None before there is anything to continue with; `label` is seamless,
    topic_shift, break or none."""

    mode: str
    session: str
    since: str | None
    working_set: int
    pending: int
    span_hours: float
    continuity: float | None
    label: str
    consolidated: int
    last_run: str | None
    last_trigger: str
    topics: list[str]
    files: list[str]


class Endpoint(TypedDict):
    """An HTTP route. `method` is upper case, or "ANY"; `handler` is None if unknown."""

    method: str
    path: str
    handler: Place | None
    file: str
    line: int
    callers: list[Call]


class EventRow(TypedDict):
    """An event of the log in one line; `gone` are ids that it removed."""

    position: int
    id: str
    type: str
    at: str
    session: str
    project: str
    actor: str
    text: str
    gone: NotRequired[list[str]]


class Explanation(TypedDict):
    """A short summary of a symbol, and the commands for more."""

    symbol: Place
    lines: list[str]
    commands: list[str]


class Feedback(TypedDict):
    """Feedback"""

    id: str
    verdict: str
    reason: NotRequired[str]


class FileRecord(TypedDict):
    """A file of the tree. `path` is relative to the indexed root, with `/`. `skipped` says why it was not parsed ("binary",
    "too large", "minified", "unreadable", ...), or what was skipped inside a parsed file ("syntax errors (read around)",
    "not utf-8 (replaced)"); "" if nothing."""

    path: str
    language: str
    sha256: str
    size: int
    lines: int
    skipped: str


class Filters(TypedDict):
    """Restrictions on search hits."""

    session: NotRequired[str | None]
    types: NotRequired[list[str] | None]
    since: NotRequired[str | None]
    until: NotRequired[str | None]


class Forget(TypedDict):
    """Forget"""

    id: NotRequired[str | None]
    session: NotRequired[str | None]
    before: NotRequired[str | None]
    of_project: NotRequired[str | None]
    purge: NotRequired[bool]
    reason: NotRequired[str]
    confirm: NotRequired[bool]


class ForgetReport(TypedDict):
    """Number of forgotten events, removed nodes and items, and what a purge erased."""

    events: int
    nodes: int
    items: int
    purged: Purged | None


class FoundHits(TypedDict):
    """Hits of a search, and the packed context for an agent."""

    hits: list[Hit]
    context: str


class GraphNodes(TypedDict):
    """Columns of nodes: labels are positions in `labels`, times seconds since 1970."""

    id: list[str]
    label: list[int]
    title: list[str]
    at: list[int | None]
    until: list[int | None]


class GraphRelations(TypedDict):
    """Columns of relations: types, sources and targets are positions."""

    source: list[int]
    type: list[int]
    target: list[int]


class Happening(TypedDict):
    """A line of a task's history: time, event type, actor, and text."""

    at: str
    type: str
    actor: str
    text: str
    event: str


class Health(TypedDict):
    """The state of the files and projections; or, with `report`, a text for a bug report."""

    sound: NotRequired[bool]
    problems: NotRequired[list[str]]
    advice: NotRequired[list[str]]
    report: NotRequired[Any]


class HistoryRow(TypedDict):
    """One event. `at` is when it happened, `recorded_at` when it was recorded. `payload` is empty once purged."""

    id: str
    type: str
    at: str
    session: str
    preview: str
    project: str
    actor: str
    position: int
    recorded_at: str
    origin: str
    payload: dict[str, Any]


class Hit(TypedDict):
    """A search hit. `score` in [0, 1] is its rank within this result; `probability` is the calibrated probability that it
    answers the query. `why` is the contribution of each channel to the score. `citation` is `[mem:XXXXXX]`. `status` is
    "contested" if another fact contradicts it, "superseded" if it was replaced, "amended" if the decision of its
    conversation was revised later. `content` is the full text, `passage` its answering part, `line` the number of lines
    before the passage, `excerpt` the sentence of it that says most of the query, in one line ("" for a budget of 0). `at`
    is, for a symbol, the last commit to its file. `origin` is the source of the text. `suspicious` says why it looks like
    instructions to the agent; it is then `withheld` from agents until a person allows it. If `is_answer`, it contains the
    result of an operation (callers, impact, history, ...) and the command for the rest. `stale` says which files, lines,
    symbols or commands that it cites are gone or changed since. `against` names what contradicts a contested hit, or took
    the place of one that no longer holds. `visibility` says, on a shared server, which store has it: "private" or "team"."""

    id: str
    ref: str | None
    kind: str
    score: float
    title: str
    summary: str
    content: str
    at: str
    session: str | None
    citation: str
    why: dict[str, float]
    probability: float
    role: str
    tags: list[str]
    status: str
    passage: str
    excerpt: str
    line: int
    origin: str
    suspicious: list[str]
    withheld: bool
    is_answer: bool
    stale: str
    against: str
    visibility: str


class Identifier(TypedDict):
    """The id of what was recorded or changed."""

    id: str


class ImpactReport(TypedDict):
    """What a change of symbols or a diff affects. `risk` is in [0, 1]; `tests` reach the change; `open_sites`,
    `open_places`, `open_functions`, `is_partial`, `through_base` and `may_run` are as in `Calls`, without those in
    functions that are one step away; `related` are titles of tasks, gotchas and facts about the changed files and
    symbols; `hidden_tests` counts the tests that a filter leaves out; `routes` are the HTTP routes (`GET /orders/{id}`)
    whose handlers are changed or reached."""

    changed: list[Place]
    reached: list[Reach]
    tests: list[Place]
    open_sites: int
    risk: float
    related: list[list[Any]]
    stale: list[str]
    left_out: int
    open_places: list[str]
    is_partial: bool
    through_base: int
    may_run: list[Place]
    hidden_tests: int
    open_functions: list[str]
    routes: list[str]


class Implementation(TypedDict):
    """A class that implements a port, or a port that a class implements: how that is known, how surely, and (method of the
    class, name of the method of the port, or with its class of one between the two). `base` is the class between the two
    that it derives from directly. Object literals that are written with an interface as their type are listed, too."""

    symbol: Place
    strategy: str
    confidence: float
    methods: list[list[Any]]
    base: str


class Implementations(TypedDict):
    """What implements `symbol` (an interface, a protocol, a base class, or a method of one), and what it implements itself.
    `total` counts both, `hidden` those that a filter leaves out. `almost` are the types that have all methods of it but
    the named one."""

    symbol: Place
    implemented_by: list[Implementation]
    implements: list[Implementation]
    total: int
    hidden: int
    almost: list[list[Any]]


class IndexReport(TypedDict):
    """Result of indexing: files by language, counts of the code graph, and files skipped or partly read (reason -> count).
    `resolved` is the share of resolved calls; `certain` of them are from compilers' indexes; `unused` counts documents of
    an imported index, by reason. If `followed` is false, whole-program value flow is still to be done by `process`."""

    files: int
    lines: int
    symbols: int
    edges: int
    call_sites: int
    languages: dict[str, int]
    skipped: dict[str, int]
    changed: int
    seconds: float
    calls: int
    followed: bool
    partial: dict[str, int]
    certain: int
    unused: dict[str, int]


class Injected(TypedDict):
    """Everything that hooks injected in the period. `moments` has texts, tokens and used texts by hook event. `idle` are
    memories that were injected at least three times and never used, most often first. `left_out` sessions were not read."""

    texts: int
    memories: int
    sessions: int
    tokens: InjectedTokens
    days: list[InjectedDay]
    moments: dict[str, list[int]]
    idle: list[InjectedMemory]
    left_out: int


class InjectedDay(TypedDict):
    """The texts that hooks injected on a day (UTC)."""

    day: str
    texts: int
    tokens: InjectedTokens


class InjectedMemory(TypedDict):
    """A memory with how many texts contained it, how many of these were quoted or acted on, and when it was last injected."""

    id: str
    title: str
    kind: str
    texts: int
    used: int
    last: str


class InjectedTokens(TypedDict):
    """Tokens that hooks injected, by what came of the texts: `quoted` by the agent, or opened by it; `acted_on`: it then
    named something that only the memory had named; `wrong`: a memory in it is marked wrong; `unseen`: nothing of that."""

    quoted: int
    acted_on: int
    wrong: int
    unseen: int


class Junk(TypedDict):
    """Memories that may be worth nothing: counts, of all times. `archived` includes what maintenance put away."""

    marked_wrong: int
    archived: int
    uncertain: int
    nearly_same: int
    withheld: int
    idle: int


class MatchResult(TypedDict):
    """Candidates, best first. "high": the first one is meant (calibrated at 97% or better); "suggested": worth checking;
    "none": no evidence for any."""

    confidence: str
    candidates: list[Candidate]


class Memify(TypedDict):
    """Memify"""

    trigger: NotRequired[str]
    pass_: NotRequired[list[str] | None]
    force: NotRequired[bool]


class MemifyReport(TypedDict):
    """The result of a run: whether there was anything to do, its passes, their counts, and its duration."""

    done: bool
    passes: list[str]
    counts: dict[str, int]
    seconds: float


class MemoryNode(TypedDict):
    """A memory without its original turns. `summary` is one line without values. `trigger` says when it is needed, with
    every value and name. `turns` counts its original turns; `links` are ids of memories that share rare tags, strongest
    first."""

    id: str
    summary: str
    trigger: str
    tags: list[str]
    links: list[str]
    recall_mode: str
    session: str
    at: str
    turns: int
    content_key: str


class MergeEntities(TypedDict):
    """MergeEntities"""

    merged: str
    kept: str
    reason: NotRequired[str]
    undo: NotRequired[bool]


class Observe(TypedDict):
    """Observe"""

    content: str
    role: NotRequired[str]
    session: NotRequired[str]
    ref: NotRequired[str | None]


class Options(TypedDict):
    """Number and quality of hits, and whether to pack a context for an agent."""

    topK: NotRequired[int]
    minScore: NotRequired[float]
    progressive: NotRequired[bool]


class Original(TypedDict):
    """One turn as recorded, without private text. `id` is that of its event."""

    id: str
    ref: str | None
    role: str
    at: str
    content: str


class Outbox(TypedDict):
    """Texts that wait for vectors, and the position of each projection."""

    encoder: str
    jobs: dict[str, Any]
    head: int
    cursors: dict[str, int]


class Outline(TypedDict):
    """A file with its symbols in order and its text, secrets redacted. `stale`: changed since indexing. `skipped`: why it
    was not or only partly read ("too large", ...; "" if read)."""

    file: str
    language: str
    text: str
    symbols: list[Place]
    stale: bool
    skipped: str


class PackageRow(TypedDict):
    """A folder: size, folders it uses and that use it (with the number of relations), and central symbols."""

    name: str
    files: int
    lines: int
    uses: list[list[Any]]
    used_by: list[list[Any]]
    central: list[str]


class PatchMatch(TypedDict):
    """A commit whose patch matches: (path, line) of each matching line, which starts with + or -, and of the one that it
    replaces or that replaces it; `left_out` counts further lines."""

    commit: Revision
    lines: list[list[Any]]
    left_out: int


class PatchMatches(TypedDict):
    """Commits whose patches match a pattern, newest first: the first of `total`. `unread` counts commits of which git lacks
    some objects (in a partial clone)."""

    pattern: str
    commits: list[PatchMatch]
    total: int
    unread: int


class PathStep(TypedDict):
    """One relation on a path: source, target, relation type, its location, and the text of the line."""

    source: str
    target: str
    relation: str
    file: str
    line: int
    text: str


class Place(TypedDict):
    """A symbol for display: location and signature."""

    name: str
    kind: str
    file: str
    line: int
    end_line: int
    signature: str
    external: bool


class Process(TypedDict):
    """Process"""

    trigger: NotRequired[str | None]
    retry: NotRequired[bool]


class ProcessReport(TypedDict):
    """Result of `process`: events and derivations projected, texts embedded, failures, and code with completed value flow."""

    events: int
    derived: int
    embedded: int
    seconds: float
    problems: list[str]
    code: list[IndexReport]


class Purged(TypedDict):
    """What a purge removed: counts of payloads, derivations and blobs."""

    payloads: int
    derivations: int
    blobs: int


class Question(TypedDict):
    """A search request."""

    query: str
    filters: NotRequired[Filters]
    options: NotRequired[Options]


class Reach(TypedDict):
    """A symbol affected by a change: distance in steps, confidence, and the relation with its line in the symbol (0 if
    unknown) and the text of that line ("" if it is not quoted)."""

    symbol: Place
    depth: int
    confidence: float
    relation: str
    line: int
    text: str


class Reading(TypedDict):
    """A memory with some of its original turns. `first` is the index of the first one, `more` says whether others follow."""

    node: MemoryNode
    originals: list[Original]
    first: int
    more: bool


class Rebuild(TypedDict):
    """Rebuild"""

    accept_loss: NotRequired[bool]


class Reject(TypedDict):
    """Reject"""

    id: list[str]
    reason: NotRequired[str]
    undo: NotRequired[bool]


class Remember(TypedDict):
    """Remember"""

    content: str
    kind: NotRequired[str]
    title: NotRequired[str | None]
    tag: NotRequired[list[str] | None]
    file: NotRequired[list[str] | None]
    ref: NotRequired[str | None]


class RepeatedFailure(TypedDict):
    """A failure that came up more than once. `warned`: how many texts of the period told an agent about it."""

    id: str
    title: str
    trigger: str
    resolution: str
    recurrence: int
    resolved: bool
    first: str | None
    last: str | None
    warned: int


class Restore(TypedDict):
    """Restore"""

    id: str


class Retrieval(TypedDict):
    """What was retrieved, best first. `risk` "high": the question asks for something exact, so read the originals before
    answering; "low": the summaries may do. `context` is for an agent: nodes with the originals that match, in `tokens`.
    `degraded` says what was lacking, and why."""

    nodes: list[Retrieved]
    risk: str
    context: str
    tokens: int
    degraded: dict[str, str]


class Retrieved(TypedDict):
    """A retrieved memory with its score in [0, 1]. `linked`: it was not found itself, but is linked to one that was."""

    node: MemoryNode
    score: float
    linked: bool


class Revision(TypedDict):
    """A commit for citation."""

    hash: str
    at: str
    author: str
    subject: str


class Routes(TypedDict):
    """The HTTP routes of a tree."""

    routes: list[Endpoint]
    left_out: int


class Running(TypedDict):
    """The server is there."""

    status: str
    version: str


class Schema(TypedDict):
    """Labels with their properties, relations, and named queries."""

    nodes: dict[str, dict[str, str]]
    relations: dict[str, dict[str, Any]]
    queries: list[dict[str, Any]]


class SearchResult(TypedDict):
    """Hits, best first. `confidence`: "high" can be used without checking, "suggested" is worth showing, "none" means no
    relevant hit. `probability` is the calibrated probability that the answer exists, with a prior of one half. `context`
    is text for an agent of `tokens` tokens, within the budget. `degraded` lists channels that failed, with reasons.
    `total` counts candidates; `expanded` counts hits shown in full, because of `reason`; `withheld` counts hits not shown
    to agents. If no hit is worth showing, `searched` is the number of searched items of each kind."""

    hits: list[Hit]
    confidence: str
    probability: float
    context: str
    tokens: int
    total: int
    expanded: int
    reason: str
    degraded: dict[str, str]
    withheld: int
    searched: dict[str, int]


class SessionList(TypedDict):
    """A page of sessions."""

    sessions: list[SessionRow]
    total: int
    page: int
    page_size: int


class SessionRow(TypedDict):
    """A session of the list."""

    id: str
    ref: str | None
    title: str | None
    project: str | None
    branch: str | None
    summary: str | None
    turns: int
    first: str | None
    last: str | None
    opening: str | None


class SessionTurns(TypedDict):
    """A page of the turns of a session."""

    id: str
    ref: str | None
    turns: list[dict[str, Any]]
    total: int
    page: int
    page_size: int


class SettingEntry(TypedDict):
    """One setting. `kind` is "text", "number", "whole" (integer) or "truth" (boolean). `choices` are the allowed values,
    `least` is the lower bound, `help` says what it is for."""

    key: str
    value: Any
    default: Any
    kind: str
    choices: list[str]
    least: float | None
    help: str


class Several(TypedDict):
    """The answer about each symbol; for one that does not exist, a sentence."""

    answers: list[Any]


class ShownItem(TypedDict):
    """A node with its properties (`_label` is its label) and relations."""

    node: dict[str, Any]
    relations: list[ShownRelation]
    truncated: bool


class ShownRelation(TypedDict):
    """A relation of an item, and the node at its other end."""

    type: str
    direction: str
    label: str
    id: str
    title: str | None


class SourceText(TypedDict):
    """Lines of a file, secrets redacted. `total` is the number of lines of the file, `left_out` the number of lines beyond a
    limit."""

    file: str
    first: int
    last: int
    total: int
    text: str
    symbol: str
    left_out: int


class Statistics(TypedDict):
    """Counts and sizes of the store."""

    project: str
    path: str
    events: int
    nodes: dict[str, int]
    relations: dict[str, int]
    bytes: dict[str, int]


class Subgraph(TypedDict):
    """Nodes and relations for a drawing."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    truncated: bool


class Supersede(TypedDict):
    """Supersede"""

    old: str
    new: str
    undo: NotRequired[bool]


class SymbolHistory(TypedDict):
    """The commits that changed a symbol, newest first, each with the reason that its message gives and the hunk, "" if it is
    not asked for."""

    target: str
    commits: list[list[Any]]
    total: int


class SymbolPatch(TypedDict):
    """What a commit changed of one symbol, as lines of a unified diff; `symbol` is "" for what is outside of all symbols."""

    file: str
    symbol: str
    lines: list[str]
    added: int
    removed: int


class Table(TypedDict):
    """Columns and rows. `truncated`: the row limit was reached."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool


class Task(TypedDict):
    """A piece of work that persists across sessions. `blocked_by` is confirmed, `suggested` awaits confirmation; relations
    contain task ids. A claim is valid until `claimed_until`. `session` created it."""

    id: str
    title: str
    ref: str
    description: str
    status: str
    priority: str
    kind: str
    project: str
    labels: list[str]
    files: list[str]
    assignee: str
    aliases: list[str]
    parent: str
    blocked_by: list[BlockerRef]
    suggested: list[BlockerRef]
    depends_on: list[str]
    waits_for: list[str]
    discovered_from: list[str]
    duplicates: list[str]
    supersedes: list[str]
    related: list[str]
    outcome: str
    commits: list[str]
    facts: list[str]
    source: str
    claimed_by: str
    claimed_until: str | None
    created_at: str
    updated_at: str
    closed_at: str | None
    rejected: str
    session: str


class TaskDetail(TypedDict):
    """A task with all details."""

    task: Task
    blockers: list[Blocker]
    children: list[Task]
    dependents: list[Task]
    history: list[Happening]


class TasksBlock(TypedDict):
    """TasksBlock"""

    id: str
    by: NotRequired[str | None]


class TasksClaim(TypedDict):
    """TasksClaim"""

    by: str
    id: NotRequired[str | None]
    lease: NotRequired[float | None]


class TasksConfirm(TypedDict):
    """TasksConfirm"""

    id: str
    blocker: NotRequired[str | None]


class TasksCreate(TypedDict):
    """TasksCreate"""

    title: str
    description: NotRequired[str]
    priority: NotRequired[str]
    blocked_by: NotRequired[list[str] | None]
    ref: NotRequired[str | None]
    parent: NotRequired[str | None]
    label: NotRequired[list[str] | None]


class TasksLink(TypedDict):
    """TasksLink"""

    id: str
    relation: str
    to: str
    remove: NotRequired[bool]


class TasksRelease(TypedDict):
    """TasksRelease"""

    id: str
    by: NotRequired[str]


class TasksReopen(TypedDict):
    """TasksReopen"""

    id: str
    reason: NotRequired[str]


class TasksResolve(TypedDict):
    """TasksResolve"""

    condition: str
    target: NotRequired[str | None]
    undo: NotRequired[bool]


class TasksUnblock(TypedDict):
    """TasksUnblock"""

    id: str
    blocker: NotRequired[str | None]


class TasksUpdate(TypedDict):
    """TasksUpdate"""

    id: str
    title: NotRequired[str | None]
    description: NotRequired[str | None]
    status: NotRequired[str | None]
    priority: NotRequired[str | None]
    blocked_by: NotRequired[list[str] | None]
    outcome: NotRequired[str | None]
    commit: NotRequired[list[str] | None]


class TestPlan(TypedDict):
    """The tests that reach a symbol, nearest first: (place, distance), their files, and the command that runs them. If none
    does, `changed_with` has the tests that the same commits changed: (place, number of commits), and `command` runs
    these. `importers` are the modules outside of tests that import a file, `importing_tests` the test files that import
    it (1) or a module that does (2). `helpers` are the nearest functions of tests that are no tests themselves,
    `helpers_total` says how many there are. `dispatched` are the files whose tests reach it only through an interface, a
    base class, a table or an unresolved call, which may run something else; they stand last. `is_partial`: values were
    not yet followed, so tests may be missing. `open_calls` counts, if no test reaches it, the unresolved calls of tests
    that import something that does: any may be one more way to it. `by_request` are the files whose tests reach it only
    by requests to the URLs of routes."""

    symbol: Place
    tests: list[list[Any]]
    total: int
    files: list[str]
    command: str
    changed_with: list[list[Any]]
    importers: list[Place]
    importing_tests: list[list[Any]]
    helpers: list[Place]
    helpers_total: int
    dispatched: list[str]
    is_partial: bool
    open_calls: int
    by_request: list[str]


class TextMatch(TypedDict):
    """A matching line. `symbol` is the enclosing definition ("" outside of all); `kind` of the file: code, test, document,
    config, other, example or vendored."""

    path: str
    line: int
    text: str
    symbol: str
    kind: str


class TextMatches(TypedDict):
    """Lines of a tree that match a pattern: the first of `total` in `files` files. `searched` counts files read, `skipped`
    files not read, by reason; `hidden` counts matching lines of tests that were left out."""

    pattern: str
    matches: list[TextMatch]
    total: int
    files: int
    searched: int
    skipped: dict[str, int]
    as_of: str
    hidden: int


class TimelineEntry(TypedDict):
    """An item of the same session near a requested one (`is_target`). `preview` has at most 200 characters."""

    id: str
    ref: str | None
    kind: str
    at: str
    session: str | None
    role: str
    preview: str
    is_target: bool
    citation: str
    origin: str
    withheld: bool


class TreeCompact(TypedDict):
    """TreeCompact"""

    session: NotRequired[str]


class TreeIndex(TypedDict):
    """The index that is always in context: passive memories within their budget, then the newest, one line each; `total`
    nodes there are, and `tags` with the number of nodes that carry them."""

    nodes: list[MemoryNode]
    total: int
    tags: list[list[Any]]
    tokens: int


class TreeMark(TypedDict):
    """TreeMark"""

    id: str
    mode: str


class Unresolved(TypedDict):
    """Unresolved calls: total, counts by reason, and the first ones."""

    total: int
    reasons: dict[str, int]
    sites: list[CallSite]
    left_out: int


class WholeEvent(TypedDict):
    """An event with its payload, and its neighbours in the session."""

    position: int
    id: str
    type: str
    at: str
    session: str
    project: str
    actor: str
    text: str
    gone: NotRequired[list[str]]
    payload: dict[str, Any]
    previous: str | None
    next: str | None


class WholeGraph(TypedDict):
    """The whole graph in columns."""

    labels: list[str]
    types: list[str]
    nodes: GraphNodes
    relations: GraphRelations
    total: dict[str, int]
    left_out_relations: int


class WorkingEvent(TypedDict):
    """An event of the working set: `relevance` in [0, 1], half of it lost in a window; `consolidated` says that a memory
    keeps it."""

    id: str
    role: str
    at: str
    session: str
    text: str
    relevance: float
    consolidated: bool
    topics: list[str]


class Client:
    """The API of one server. Each method is a route, and returns the data of its answer; `meta` is that of the last answer.
    Raises ApiError for a refused request, URLError if there is no server."""

    def __init__(self, url: str, token: str, *, store: str = "", timeout_s: float = 60.0) -> None:
        self.url, self.timeout_s = url.rstrip("/"), timeout_s
        self.meta: dict[str, Any] = {}
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if store:
            self._headers["Graphmem-Store"] = store

    def pages(self, method: Callable[..., Any], **given: Any) -> Iterator[Any]:
        """Call a method that lists something for each page, as `page` and `page_size` cut it."""
        page: Any = 1
        while page:
            yield method(**given, page=page)
            page = self.meta.get("next")

    def _call(self, method: str, path: str, query: dict[str, Any], body: dict[str, Any] | None = None) -> Any:
        pairs = [(name, one) for name, value in query.items() if value is not None for one in _each(value)]
        address = self.url + path + (f"?{urllib.parse.urlencode(pairs)}" if pairs else "")
        given = {name: value for name, value in (body or {}).items() if value is not None}
        data = None if body is None else json.dumps(given).encode()
        headers = {**self._headers, **({"Content-Type": "application/json"} if data is not None else {})}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(address, data, headers, method=method), timeout=self.timeout_s
            ) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        self.meta = found["meta"]
        return found["data"]

    def activity(self, *, days: int = 90, page: int = 1, page_size: int | None = None) -> Table:
        """Count events by day and type."""
        found: Table = self._call("GET", "/api/activity", {"days": days, "page": page, "page_size": page_size})
        return found

    def allow(self, *, id: str) -> dict[str, str]:
        """Allow agents to see a withheld memory."""
        found: dict[str, str] = self._call("POST", "/api/allow", {}, {"id": id})
        return found

    def analytics(self, *, days: int = 30) -> Analytics:
        """Show what injected memories led to, repeated failures, knowledge by area, and possible junk."""
        found: Analytics = self._call("GET", "/api/analytics", {"days": days})
        return found

    def approvals(self, *, limit: int = 50, all_: bool = False, page: int = 1, page_size: int | None = None) -> Table:
        """List new memories that wait for your approval, if the setting approval.required asks for it."""
        found: Table = self._call(
            "GET", "/api/approvals", {"limit": limit, "all_": all_, "page": page, "page_size": page_size}
        )
        return found

    def approve(self, *, id: list[str], content: str = "", undo: bool = False) -> dict[str, Any]:
        """Approve new memories: from now on, agents are shown them."""
        found: dict[str, Any] = self._call("POST", "/api/approve", {}, {"id": id, "content": content, "undo": undo})
        return found

    def archive(self, *, id: str, same_as: str = "") -> dict[str, str]:
        """Archive a memory: searches no longer return it, but nothing is deleted."""
        found: dict[str, str] = self._call("POST", "/api/archive", {}, {"id": id, "same_as": same_as})
        return found

    def around(
        self,
        *,
        ids: list[str] | None = None,
        relation: list[str] | None = None,
        limit: int = 500,
        without: list[str] | None = None,
    ) -> Subgraph:
        """Print a subgraph (nodes and relations) for visualisation."""
        found: Subgraph = self._call(
            "GET", "/api/around", {"ids": ids, "relation": relation, "limit": limit, "without": without}
        )
        return found

    def ask(self, *, question: list[str], k: int = 5) -> Answer | Several:
        """Answer questions with evidence: who, when, why, where, callers, tests, impact, changes, environment variables."""
        found: Answer | Several = self._call("GET", "/api/ask", {"question": question, "k": k})
        return found

    def categories(self, *, history: bool = False, page: int = 1, page_size: int | None = None) -> Table:
        """List the categories of memories, or how they changed."""
        found: Table = self._call("GET", "/api/categories", {"history": history, "page": page, "page_size": page_size})
        return found

    def citation(self, id: str) -> Detail:
        """Return the item of a citation."""
        found: Detail = self._call("GET", f"/api/citations/{urllib.parse.quote(id, safe='')}", {})
        return found

    def related(self, id: str) -> list[Detail]:
        """List items that share an entity with this one."""
        found: list[Detail] = self._call("GET", f"/api/citations/{urllib.parse.quote(id, safe='')}/related", {})
        return found

    def code_api_diff(
        self, *, before: str, after: str = "", path: str | None = None, limit: int = 200, budget: int = 4000
    ) -> ApiDiff:
        """List what changed in the public surface: removed, changed, moved and added names."""
        found: ApiDiff = self._call(
            "GET",
            "/api/code/api-diff",
            {"before": before, "after": after, "path": path, "limit": limit, "budget": budget},
        )
        return found

    def code_blame(self, *, file: str, as_of: str = "", page: int = 1, page_size: int | None = None) -> Table:
        """Show for each line of a file who last changed it, when, and with which commit."""
        found: Table = self._call(
            "GET", "/api/code/blame", {"file": file, "as_of": as_of, "page": page, "page_size": page_size}
        )
        return found

    def code_callees(
        self,
        *,
        symbol: list[str],
        path: str | None = None,
        no_tests: bool = False,
        limit: int = 500,
        budget: int = 4000,
        as_of: str = "",
    ) -> Calls | Several:
        """List what a symbol calls."""
        found: Calls | Several = self._call(
            "GET",
            "/api/code/callees",
            {"symbol": symbol, "path": path, "no_tests": no_tests, "limit": limit, "budget": budget, "as_of": as_of},
        )
        return found

    def code_callers(
        self,
        *,
        symbol: list[str],
        path: str | None = None,
        no_tests: bool = False,
        limit: int = 500,
        budget: int = 4000,
        as_of: str = "",
    ) -> Calls | Several:
        """List callers of a symbol; for a field or type its uses, for a module its importers."""
        found: Calls | Several = self._call(
            "GET",
            "/api/code/callers",
            {"symbol": symbol, "path": path, "no_tests": no_tests, "limit": limit, "budget": budget, "as_of": as_of},
        )
        return found

    def code_commit(self, *, target: str) -> CommitChanges:
        """Show what a commit changed, symbol by symbol."""
        found: CommitChanges = self._call("GET", "/api/code/commit", {"target": target})
        return found

    def code_dead(
        self,
        *,
        target: list[str] | None = None,
        path: str | None = None,
        exported: bool = False,
        no_tests: bool = False,
        limit: int = 500,
        budget: int = 4000,
        as_of: str = "",
    ) -> DeadReport | Several:
        """List functions, methods and classes that nothing uses, and those that tests alone use."""
        found: DeadReport | Several = self._call(
            "GET",
            "/api/code/dead",
            {
                "target": target,
                "path": path,
                "exported": exported,
                "no_tests": no_tests,
                "limit": limit,
                "budget": budget,
                "as_of": as_of,
            },
        )
        return found

    def code_definition(self, *, file: str, line: int = 0, column: int = 0, as_of: str = "") -> Place:
        """Find the definition of the name at a position."""
        found: Place = self._call(
            "GET", "/api/code/definition", {"file": file, "line": line, "column": column, "as_of": as_of}
        )
        return found

    def code_files(
        self,
        *,
        path: str | None = None,
        no_tests: bool = False,
        as_of: str = "",
        page: int = 1,
        page_size: int | None = None,
    ) -> list[FileRecord]:
        """List the files of the indexed tree."""
        found: list[FileRecord] = self._call(
            "GET",
            "/api/code/files",
            {"path": path, "no_tests": no_tests, "as_of": as_of, "page": page, "page_size": page_size},
        )
        return found

    def code_history(
        self, *, target: list[str], as_of: str = "", limit: int = 500, patch: bool = False
    ) -> Table | SymbolHistory | Several:
        """List the commits that changed a symbol or a file, newest first."""
        found: Table | SymbolHistory | Several = self._call(
            "GET", "/api/code/history", {"target": target, "as_of": as_of, "limit": limit, "patch": patch}
        )
        return found

    def code_impact(
        self,
        *,
        symbol: list[str],
        depth: int = 5,
        tests: bool = False,
        path: str | None = None,
        no_tests: bool = False,
        limit: int = 500,
        budget: int = 4000,
        as_of: str = "",
    ) -> ImpactReport | TestPlan | Several:
        """Show what a change of a symbol may affect: callers, tests, tasks and gotchas, and the risk."""
        found: ImpactReport | TestPlan | Several = self._call(
            "GET",
            "/api/code/impact",
            {
                "symbol": symbol,
                "depth": depth,
                "tests": tests,
                "path": path,
                "no_tests": no_tests,
                "limit": limit,
                "budget": budget,
                "as_of": as_of,
            },
        )
        return found

    def code_implementations(
        self, *, symbol: list[str], path: str | None = None, no_tests: bool = False, limit: int = 100, as_of: str = ""
    ) -> Implementations | Several:
        """List who implements an interface, protocol or base class, and what a class implements, method by method."""
        found: Implementations | Several = self._call(
            "GET",
            "/api/code/implementations",
            {"symbol": symbol, "path": path, "no_tests": no_tests, "limit": limit, "as_of": as_of},
        )
        return found

    def code_outline(self, *, file: list[str], no_tests: bool = False, as_of: str = "") -> Outline | Several:
        """List the symbols of files."""
        found: Outline | Several = self._call(
            "GET", "/api/code/outline", {"file": file, "no_tests": no_tests, "as_of": as_of}
        )
        return found

    def code_overview(self, *, limit: int = 15, budget: int = 4000, as_of: str = "") -> Architecture:
        """Show the architecture: packages, entry points, central, complex and untested code, cycles."""
        found: Architecture = self._call(
            "GET", "/api/code/overview", {"limit": limit, "budget": budget, "as_of": as_of}
        )
        return found

    def code_path(self, *, a: str, b: str, limit: int = 10) -> CodePaths:
        """Find how one symbol reaches another through calls and references."""
        found: CodePaths = self._call("GET", "/api/code/path", {"a": a, "b": b, "limit": limit})
        return found

    def code_routes(
        self, *, path: str | None = None, no_tests: bool = False, limit: int = 500, budget: int = 4000, as_of: str = ""
    ) -> Routes:
        """List HTTP routes and their handlers."""
        found: Routes = self._call(
            "GET",
            "/api/code/routes",
            {"path": path, "no_tests": no_tests, "limit": limit, "budget": budget, "as_of": as_of},
        )
        return found

    def code_source(self, *, target: list[str], limit: int = 0, as_of: str = "") -> SourceText | Several:
        """Print the source code of symbols or ranges of lines."""
        found: SourceText | Several = self._call(
            "GET", "/api/code/source", {"target": target, "limit": limit, "as_of": as_of}
        )
        return found

    def code_text(
        self,
        *,
        pattern: str,
        regex: bool = False,
        ignore_case: bool = False,
        path: str | None = None,
        kind: str | None = None,
        no_tests: bool = False,
        as_of: str = "",
        patches: bool = False,
        limit: int = 50,
    ) -> TextMatches | PatchMatches:
        """Search all text files of the tree, configuration too. Shows the enclosing symbol."""
        found: TextMatches | PatchMatches = self._call(
            "GET",
            "/api/code/text",
            {
                "pattern": pattern,
                "regex": regex,
                "ignore_case": ignore_case,
                "path": path,
                "kind": kind,
                "no_tests": no_tests,
                "as_of": as_of,
                "patches": patches,
                "limit": limit,
            },
        )
        return found

    def code_todos(
        self,
        *,
        path: str | None = None,
        no_tests: bool = False,
        limit: int = 100,
        page: int = 1,
        page_size: int | None = None,
    ) -> Table:
        """List TODO comments. They are notes; `graphmem tasks create` turns one into a task."""
        found: Table = self._call(
            "GET",
            "/api/code/todos",
            {"path": path, "no_tests": no_tests, "limit": limit, "page": page, "page_size": page_size},
        )
        return found

    def code_unresolved(
        self,
        *,
        name: str | None = None,
        path: str | None = None,
        no_tests: bool = False,
        limit: int = 500,
        budget: int = 4000,
        as_of: str = "",
    ) -> Unresolved:
        """List unresolved calls with their reasons."""
        found: Unresolved = self._call(
            "GET",
            "/api/code/unresolved",
            {"name": name, "path": path, "no_tests": no_tests, "limit": limit, "budget": budget, "as_of": as_of},
        )
        return found

    def conclude(self, *, memories: list[str], session: str | None = None) -> Conclusions:
        """Save up to seven memories of a finished piece of work, each with a quote of the conversation as evidence."""
        found: Conclusions = self._call("POST", "/api/conclude", {}, {"memories": memories, "session": session})
        return found

    def config(self) -> list[SettingEntry]:
        """List all settings with value, default and allowed values."""
        found: list[SettingEntry] = self._call("GET", "/api/config", {})
        return found

    def change_config(self, *, changes: dict[str, str | bool | int | float | None]) -> list[SettingEntry]:
        """Change settings of the store."""
        found: list[SettingEntry] = self._call("PATCH", "/api/config", {}, {"changes": changes})
        return found

    def cypher(
        self,
        *,
        query: str | None = None,
        arguments: list[str] | None = None,
        named: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        page: int = 1,
        page_size: int | None = None,
    ) -> Table:
        """Query the graph with read-only Cypher."""
        found: Table = self._call(
            "GET",
            "/api/cypher",
            {
                "query": query,
                "arguments": arguments,
                "named": named,
                "limit": limit,
                "timeout": timeout,
                "page": page,
                "page_size": page_size,
            },
        )
        return found

    def deny(self, *, id: str) -> dict[str, str]:
        """Never show a memory to agents."""
        found: dict[str, str] = self._call("POST", "/api/deny", {}, {"id": id})
        return found

    def details(self, *, ids: list[str], page: int = 1, page_size: int | None = None) -> list[Detail]:
        """Show the full text of items."""
        found: list[Detail] = self._call("GET", "/api/details", {"ids": ids, "page": page, "page_size": page_size})
        return found

    def doctor(self, *, report: bool = False) -> Health:
        """Check all files and projections, and recommend what to do. Exits with status 1 if there is a problem."""
        found: Health = self._call("GET", "/api/doctor", {"report": report})
        return found

    def endless_consolidate(self) -> EndlessReport:
        """Consolidate pending turns into memories now."""
        found: EndlessReport = self._call("POST", "/api/endless/consolidate", {}, {})
        return found

    def endless_disable(self) -> EndlessReport:
        """Disable endless mode. Existing memories are kept."""
        found: EndlessReport = self._call("POST", "/api/endless/disable", {}, {})
        return found

    def endless_enable(self, *, days: int = 7) -> EndlessReport:
        """Enable endless mode: one memory across sessions."""
        found: EndlessReport = self._call("POST", "/api/endless/enable", {}, {"days": days})
        return found

    def endless_memories(
        self, *, query: str | None = None, limit: int = 20, page: int = 1, page_size: int | None = None
    ) -> list[ConsolidatedMemory]:
        """List consolidated memories, newest first."""
        found: list[ConsolidatedMemory] = self._call(
            "GET", "/api/endless/memories", {"query": query, "limit": limit, "page": page, "page_size": page_size}
        )
        return found

    def endless_status(self) -> EndlessStatus:
        """Show the working set, continuity with earlier work, and consolidated memories."""
        found: EndlessStatus = self._call("GET", "/api/endless/status", {})
        return found

    def endless_working_set(self, *, page: int = 1, page_size: int | None = None) -> list[WorkingEvent]:
        """List the events of the working set, most relevant first."""
        found: list[WorkingEvent] = self._call(
            "GET", "/api/endless/working-set", {"page": page, "page_size": page_size}
        )
        return found

    def events(
        self,
        *,
        session_id: str | None = None,
        type: list[str] | None = None,
        limit: int = 50,
        before: int | None = None,
    ) -> list[EventRow]:
        """List the latest events, newest first."""
        found: list[EventRow] = self._call(
            "GET", "/api/events", {"sessionId": session_id, "type": type, "limit": limit, "before": before}
        )
        return found

    def event(self, id: str) -> WholeEvent:
        """Return an event with its predecessor and successor."""
        found: WholeEvent = self._call("GET", f"/api/events/{urllib.parse.quote(id, safe='')}", {})
        return found

    def explain(self, *, symbol: list[str]) -> Explanation | Several:
        """Explain a symbol: signature, source, callers, tests, recent changes with reasons, decisions, authors."""
        found: Explanation | Several = self._call("GET", "/api/explain", {"symbol": symbol})
        return found

    def feedback(self, *, id: str, verdict: str, reason: str = "") -> dict[str, str]:
        """Rate a memory as useful or wrong. Searches no longer return wrong memories."""
        found: dict[str, str] = self._call(
            "POST", "/api/feedback", {}, {"id": id, "verdict": verdict, "reason": reason}
        )
        return found

    def forget(
        self,
        *,
        id: str | None = None,
        session: str | None = None,
        before: str | None = None,
        of_project: str | None = None,
        purge: bool = False,
        reason: str = "",
        confirm: bool = False,
    ) -> ForgetReport:
        """Forget an item, a session, a period or a project: it no longer appears in any answer."""
        found: ForgetReport = self._call(
            "POST",
            "/api/forget",
            {},
            {
                "id": id,
                "session": session,
                "before": before,
                "of_project": of_project,
                "purge": purge,
                "reason": reason,
                "confirm": confirm,
            },
        )
        return found

    def graph(self, *, limit: int = 100000, without: list[str] | None = None) -> WholeGraph:
        """Return the whole graph in columns, for a drawing."""
        found: WholeGraph = self._call("GET", "/api/graph", {"limit": limit, "without": without})
        return found

    def history(
        self,
        *,
        session: str | None = None,
        type: list[str] | None = None,
        limit: int = 50,
        before: int | None = None,
        injected: bool = False,
    ) -> list[HistoryRow] | Table:
        """List the latest events in order of time."""
        found: list[HistoryRow] | Table = self._call(
            "GET",
            "/api/history",
            {"session": session, "type": type, "limit": limit, "before": before, "injected": injected},
        )
        return found

    def memify(self, *, trigger: str = "daily", pass_: list[str] | None = None, force: bool = False) -> MemifyReport:
        """Run the maintenance passes: scores, decay, conflicts, categories, duplicates."""
        found: MemifyReport = self._call(
            "POST", "/api/memify", {}, {"trigger": trigger, "pass_": pass_, "force": force}
        )
        return found

    def merge_entities(self, *, merged: str, kept: str, reason: str = "", undo: bool = False) -> str:
        """Say that two entities are the same thing, or undo that. Searches for one name then find the other."""
        found: str = self._call(
            "POST", "/api/merge-entities", {}, {"merged": merged, "kept": kept, "reason": reason, "undo": undo}
        )
        return found

    def neighbours(
        self, *, id: str, depth: int = 1, kind: list[str] | None = None, page: int = 1, page_size: int | None = None
    ) -> Table:
        """List the nodes around a node."""
        found: Table = self._call(
            "GET", "/api/neighbours", {"id": id, "depth": depth, "kind": kind, "page": page, "page_size": page_size}
        )
        return found

    def observe(
        self, *, content: str, role: str = "user", session: str = "default", ref: str | None = None
    ) -> Identifier:
        """Record one turn of a conversation."""
        found: Identifier = self._call(
            "POST", "/api/observe", {}, {"content": content, "role": role, "session": session, "ref": ref}
        )
        return found

    def outbox(self) -> Outbox:
        """Show texts waiting for vectors, and the position of each projection."""
        found: Outbox = self._call("GET", "/api/outbox", {})
        return found

    def path(
        self, *, a: str, b: str, only: list[str] | None = None, page: int = 1, page_size: int | None = None
    ) -> Table:
        """Find a shortest path between two nodes."""
        found: Table = self._call(
            "GET", "/api/path", {"a": a, "b": b, "only": only, "page": page, "page_size": page_size}
        )
        return found

    def process(self, *, trigger: str | None = None, retry: bool = False) -> ProcessReport:
        """Complete all pending work: projections, derived facts, embeddings."""
        found: ProcessReport = self._call("POST", "/api/process", {}, {"trigger": trigger, "retry": retry})
        return found

    def rebuild(self, *, accept_loss: bool = False) -> ProcessReport:
        """Rebuild the graph, the indexes and the vectors from the log."""
        found: ProcessReport = self._call("POST", "/api/rebuild", {}, {"accept_loss": accept_loss})
        return found

    def reject(self, *, id: list[str], reason: str = "", undo: bool = False) -> dict[str, Any]:
        """Reject new memories: agents are never shown them, and searches do not find them."""
        found: dict[str, Any] = self._call("POST", "/api/reject", {}, {"id": id, "reason": reason, "undo": undo})
        return found

    def remember(
        self,
        *,
        content: str,
        kind: str = "fact",
        title: str | None = None,
        tag: list[str] | None = None,
        file: list[str] | None = None,
        ref: str | None = None,
    ) -> Identifier:
        """Save a memory explicitly."""
        found: Identifier = self._call(
            "POST",
            "/api/remember",
            {},
            {"content": content, "kind": kind, "title": title, "tag": tag, "file": file, "ref": ref},
        )
        return found

    def restore(self, *, id: str) -> dict[str, str]:
        """Restore a memory from the archive."""
        found: dict[str, str] = self._call("POST", "/api/restore", {}, {"id": id})
        return found

    def review(self, *, limit: int = 50, all_: bool = False, page: int = 1, page_size: int | None = None) -> Table:
        """List memories withheld from agents because they contain instructions, with the reason."""
        found: Table = self._call(
            "GET", "/api/review", {"limit": limit, "all_": all_, "page": page, "page_size": page_size}
        )
        return found

    def schema(self) -> Schema:
        """List labels, relations, properties and named queries."""
        found: Schema = self._call("GET", "/api/schema", {})
        return found

    def search(
        self,
        *,
        query: str,
        k: int = 10,
        kind: list[str] | None = None,
        session: str | None = None,
        scope: str = "project",
        as_of: str | None = None,
        budget: int | None = None,
        archived: bool = False,
        waiting: bool = False,
    ) -> SearchResult:
        """Search all memories."""
        found: SearchResult = self._call(
            "GET",
            "/api/search",
            {
                "query": query,
                "k": k,
                "kind": kind,
                "session": session,
                "scope": scope,
                "as_of": as_of,
                "budget": budget,
                "archived": archived,
                "waiting": waiting,
            },
        )
        return found

    def search_with_filters(
        self, *, query: str, filters: Filters | None = None, options: Options | None = None
    ) -> FoundHits:
        """Search with filters."""
        found: FoundHits = self._call(
            "POST", "/api/search", {}, {"query": query, "filters": filters, "options": options}
        )
        return found

    def session(self, *, id: str, page: int = 1, page_size: int = 50) -> SessionTurns:
        """Show the turns of a session, oldest first."""
        found: SessionTurns = self._call("GET", "/api/session", {"id": id, "page": page, "page_size": page_size})
        return found

    def sessions(self, *, page: int = 1, page_size: int = 20) -> SessionList:
        """List sessions, most recent activity first."""
        found: SessionList = self._call("GET", "/api/sessions", {"page": page, "page_size": page_size})
        return found

    def show(self, *, id: str, patch: bool = False) -> ShownItem | str:
        """Show an item with all its relations."""
        found: ShownItem | str = self._call("GET", "/api/show", {"id": id, "patch": patch})
        return found

    def stats(self) -> Statistics:
        """Show counts, sizes and the path of the store."""
        found: Statistics = self._call("GET", "/api/stats", {})
        return found

    def supersede(self, *, old: str, new: str, undo: bool = False) -> Identifier:
        """Mark a fact as superseded by another one, or undo that."""
        found: Identifier = self._call("POST", "/api/supersede", {}, {"old": old, "new": new, "undo": undo})
        return found

    def tasks_block(self, *, id: str, by: str | None = None) -> Task:
        """Add a blocker to a task."""
        found: Task = self._call("POST", "/api/tasks/block", {}, {"id": id, "by": by})
        return found

    def tasks_blocked(self, *, page: int = 1, page_size: int | None = None) -> list[BlockedTask]:
        """List blocked tasks and their root causes."""
        found: list[BlockedTask] = self._call("GET", "/api/tasks/blocked", {"page": page, "page_size": page_size})
        return found

    def tasks_claim(self, *, by: str, id: str | None = None, lease: float | None = None) -> Task | None:
        """Claim a task. If several agents try at once, exactly one succeeds."""
        found: Task | None = self._call("POST", "/api/tasks/claim", {}, {"by": by, "id": id, "lease": lease})
        return found

    def tasks_conditions(
        self, *, open_only: bool = False, page: int = 1, page_size: int | None = None
    ) -> list[Condition]:
        """List conditions that tasks wait for."""
        found: list[Condition] = self._call(
            "GET", "/api/tasks/conditions", {"open_only": open_only, "page": page, "page_size": page_size}
        )
        return found

    def tasks_confirm(self, *, id: str, blocker: str | None = None) -> Task:
        """Confirm suggested blockers of a task."""
        found: Task = self._call("POST", "/api/tasks/confirm", {}, {"id": id, "blocker": blocker})
        return found

    def tasks_context(
        self, *, view: str | None = None, page: int = 1, page_size: int | None = None
    ) -> list[ContextRow]:
        """Show all blockers of open work and what each refers to."""
        found: list[ContextRow] = self._call(
            "GET", "/api/tasks/context", {"view": view, "page": page, "page_size": page_size}
        )
        return found

    def tasks_create(
        self,
        *,
        title: str,
        description: str = "",
        priority: str = "medium",
        blocked_by: list[str] | None = None,
        ref: str | None = None,
        parent: str | None = None,
        label: list[str] | None = None,
    ) -> Task:
        """Create a task. An existing equal task is returned instead."""
        found: Task = self._call(
            "POST",
            "/api/tasks/create",
            {},
            {
                "title": title,
                "description": description,
                "priority": priority,
                "blocked_by": blocked_by,
                "ref": ref,
                "parent": parent,
                "label": label,
            },
        )
        return found

    def tasks_critical_path(
        self, *, goal: str | None = None, page: int = 1, page_size: int | None = None
    ) -> list[Task]:
        """Show the longest chain of open tasks, in order."""
        found: list[Task] = self._call(
            "GET", "/api/tasks/critical-path", {"goal": goal, "page": page, "page_size": page_size}
        )
        return found

    def tasks_export(self, *, format: str = "state") -> str:
        """Print all tasks in an exchange format."""
        found: str = self._call("GET", "/api/tasks/export", {"format": format})
        return found

    def tasks_link(self, *, id: str, relation: str, to: str, remove: bool = False) -> Task:
        """Add or remove a relation between two tasks. A cycle of blockers is rejected and shown."""
        found: Task = self._call(
            "POST", "/api/tasks/link", {}, {"id": id, "relation": relation, "to": to, "remove": remove}
        )
        return found

    def tasks_list(
        self,
        *,
        status: str | None = None,
        file: str | None = None,
        label: str | None = None,
        page: int = 1,
        page_size: int | None = None,
    ) -> list[Task]:
        """List tasks, most urgent first."""
        found: list[Task] = self._call(
            "GET",
            "/api/tasks/list",
            {"status": status, "file": file, "label": label, "page": page, "page_size": page_size},
        )
        return found

    def tasks_match(self, *, text: str, k: int = 5) -> MatchResult:
        """Find the tasks that a text refers to."""
        found: MatchResult = self._call("GET", "/api/tasks/match", {"text": text, "k": k})
        return found

    def tasks_prime(self) -> str:
        """Summarise open work for an agent. Takes under 400 tokens, for the start of a session."""
        found: str = self._call("GET", "/api/tasks/prime", {})
        return found

    def tasks_ready(self, *, page: int = 1, page_size: int | None = None) -> list[Task]:
        """List tasks that can be started now, most urgent first."""
        found: list[Task] = self._call("GET", "/api/tasks/ready", {"page": page, "page_size": page_size})
        return found

    def tasks_release(self, *, id: str, by: str = "") -> Task:
        """Release a claimed task."""
        found: Task = self._call("POST", "/api/tasks/release", {}, {"id": id, "by": by})
        return found

    def tasks_reopen(self, *, id: str, reason: str = "") -> Task:
        """Reopen a closed task."""
        found: Task = self._call("POST", "/api/tasks/reopen", {}, {"id": id, "reason": reason})
        return found

    def tasks_report(self, *, format: str = "markdown") -> str:
        """Show the state of all work on one page."""
        found: str = self._call("GET", "/api/tasks/report", {"format": format})
        return found

    def tasks_resolve(self, *, condition: str, target: str | None = None, undo: bool = False) -> Condition | None:
        """Link a condition to a task, or mark it fulfilled."""
        found: Condition | None = self._call(
            "POST", "/api/tasks/resolve", {}, {"condition": condition, "target": target, "undo": undo}
        )
        return found

    def tasks_show(self, *, id: str) -> TaskDetail:
        """Show a task with its blockers, subtasks and history."""
        found: TaskDetail = self._call("GET", "/api/tasks/show", {"id": id})
        return found

    def tasks_steps(self, *, session: str | None = None, page: int = 1, page_size: int | None = None) -> list[Task]:
        """List the steps of agents' own to-do lists that were left open, latest session first."""
        found: list[Task] = self._call(
            "GET", "/api/tasks/steps", {"session": session, "page": page, "page_size": page_size}
        )
        return found

    def tasks_unblock(self, *, id: str, blocker: str | None = None) -> Task:
        """Remove one or all blockers of a task."""
        found: Task = self._call("POST", "/api/tasks/unblock", {}, {"id": id, "blocker": blocker})
        return found

    def tasks_unblocks(self, *, id: str, page: int = 1, page_size: int | None = None) -> list[Task]:
        """List the tasks that become ready when this one is closed."""
        found: list[Task] = self._call("GET", "/api/tasks/unblocks", {"id": id, "page": page, "page_size": page_size})
        return found

    def tasks_update(
        self,
        *,
        id: str,
        title: str | None = None,
        description: str | None = None,
        status: str | None = None,
        priority: str | None = None,
        blocked_by: list[str] | None = None,
        outcome: str | None = None,
        commit: list[str] | None = None,
    ) -> Task:
        """Change a task. Closing may cite its outcome and commits."""
        found: Task = self._call(
            "POST",
            "/api/tasks/update",
            {},
            {
                "id": id,
                "title": title,
                "description": description,
                "status": status,
                "priority": priority,
                "blocked_by": blocked_by,
                "outcome": outcome,
                "commit": commit,
            },
        )
        return found

    def timeline(
        self, *, ids: list[str], window: int = 3, page: int = 1, page_size: int | None = None
    ) -> list[TimelineEntry]:
        """Show the turns before and after items."""
        found: list[TimelineEntry] = self._call(
            "GET", "/api/timeline", {"ids": ids, "window": window, "page": page, "page_size": page_size}
        )
        return found

    def tree_compact(self, *, session: str = "default") -> Compacted:
        """Compact the buffered turns of a session into a memory."""
        found: Compacted = self._call("POST", "/api/tree/compact", {}, {"session": session})
        return found

    def tree_consolidate(self) -> Consolidated:
        """Merge equivalent memories, keeping the originals of both, and link similar ones."""
        found: Consolidated = self._call("POST", "/api/tree/consolidate", {}, {})
        return found

    def tree_index(self, *, limit: int = 50) -> TreeIndex:
        """List the memory tree: pinned memories, then the newest, and the tags in use."""
        found: TreeIndex = self._call("GET", "/api/tree/index", {"limit": limit})
        return found

    def tree_mark(self, *, id: str, mode: str) -> MemoryNode:
        """Set when a memory is recalled."""
        found: MemoryNode = self._call("POST", "/api/tree/mark", {}, {"id": id, "mode": mode})
        return found

    def tree_read(self, *, id: str, first: int = 0, limit: int | None = None) -> Reading:
        """Read a memory with its original turns, verbatim."""
        found: Reading = self._call("GET", "/api/tree/read", {"id": id, "first": first, "limit": limit})
        return found

    def tree_retrieve(
        self, *, summary_query: str, trigger_query: str | None = None, k: int = 5, budget: int = 1500
    ) -> Retrieval:
        """Find memories of earlier conversations, with the original turns that match. Answer from these; read a memory     only
        if they are not sufficient."""
        found: Retrieval = self._call(
            "GET",
            "/api/tree/retrieve",
            {"summary_query": summary_query, "trigger_query": trigger_query, "k": k, "budget": budget},
        )
        return found

    def tree_search(
        self, *, tag: str, limit: int = 50, page: int = 1, page_size: int | None = None
    ) -> list[MemoryNode]:
        """List the memories with a tag, newest first."""
        found: list[MemoryNode] = self._call(
            "GET", "/api/tree/search", {"tag": tag, "limit": limit, "page": page, "page_size": page_size}
        )
        return found

    def tree_window(self, *, session: str | None = None, budget: int = 1500) -> str:
        """Show the session window: the part of the memory tree that is always in the agent's context."""
        found: str = self._call("GET", "/api/tree/window", {"session": session, "budget": budget})
        return found

    def health(self) -> Running:
        """Check that the server is running."""
        found: Running = self._call("GET", "/health", {})
        return found


def _each(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in values]


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    try:
        said = json.load(error)["error"]
    except (ValueError, KeyError, TypeError):
        return ApiError(error.code, "Refused", str(error.reason), {})
    return ApiError(error.code, said["code"], said["message"], said["data"])
