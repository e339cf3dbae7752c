"""Projects the tree to graph and index: after each change of the log, new and changed memories become `Memory` nodes with
relations, and two items each, one for the summary and one for the trigger. It has its own cursor and never appends to the
log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

from graphmem import resources
from graphmem.cognify.source import Source
from graphmem.cognify.steps import Step, retry_failed, run_steps
from graphmem.context import StoreContext
from graphmem.log.upcast import upcast
from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Node
from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.projections import names
from graphmem.projections.batch import compact_batches, iterate_batches
from graphmem.projections.runner import without_gc
from graphmem.tree import forest_cache, sensor
from graphmem.tree.forest import MARKS, Forest, forest_of
from graphmem.tree.linking import LinkedMemory

GROWN = "grown"  # cursor in both projections: events that are in the tree
_DIGESTS, _DIGESTS_OF = "queries/graph/read/tree_digests.cypher", "queries/graph/read/tree_digests_of.cypher"
_LEADS_OF = "queries/graph/read/tree_relations_of.cypher"
_TOPICS = "queries/graph/read/topics.cypher"
_LEADS_TO = (("DERIVED_FROM", "Turn"), ("PART_OF", "Session"), ("NEXT", "Memory"), ("TAGGED", "Tag"),
             ("SHARES_TAG", "Memory"), ("SIMILAR_TO", "Memory"))  # fmt: skip
_AT_ONCE = 2_000  # memories per transaction: each has a dozen relations
_RELEVANT = sensor.TYPES | MARKS | {"memory_forgotten"}


def _derive(sources: Iterable[Source]) -> list[dict[str, object] | None]:
    return [sensor.sense_turn(source.event) for source in sources]


SENSOR = Step(sensor.STEP, sensor.TYPES, _derive)


@without_gc()
def project_tree(context: StoreContext) -> None:
    """Bring the tree in graph and index up to date. Safe to kill at any time."""
    head = context.log.head()
    _sense(context, head)
    reached = {context.text.cursors().get(GROWN, 0), context.graph.cursors().get(GROWN, 0)}
    done = max(reached) if len(reached) == 1 else 0  # after a crash either may be behind: everything is written again
    if done and not any(True for _ in context.log.read(done, types=_RELEVANT, upto=head)):
        return
    forest = _forest(context, done)
    lessened = forest.whole
    held = set(context.text.sources([SUMMARIES])) if not done else set[str]()
    for changes in _changes(context, forest, held, fresh=not done):
        lessened |= bool(changes.removed_nodes or changes.removed_edges)
        context.text.apply(changes.removed_items, changes.items, changes.links, {GROWN: 0})
        context.graph.apply(changes, {})
    cursors = {GROWN: head}
    context.text.apply((), (), (), cursors)
    context.graph.apply(Changes(), cursors)
    if lessened:
        topics = context.graph.query(resources.text(_TOPICS)).rows
        if unused := [("Tag", tag) for tag, memories in topics if not memories and tag.startswith("topic:")]:
            context.graph.apply(Changes(removed_nodes=unused), cursors)
    forest.dirty, forest.whole, forest.grown = set(), False, head
    forest_cache.save_forest(context.path, forest, context.log)


def _forest(context: StoreContext, done: int) -> Forest:
    """Return the forest up to the log, and what may have changed in it since a position. New projections use one folded
    by another process, or the cached file, rather than that of this process."""
    known = forest_of(context.log) if done else context.renewal.folded_tree()
    if known is None or not known.number:
        known = forest_cache.load_forest(context.path, context.log)
        if known and not done:
            context.log.check(sensor.STEP)  # folding would raise the same error
    forest = forest_of(context.log, known or Forest())
    forest.follow(context.log)
    forest.whole |= done < forest.grown  # a graph that went back to its checkpoint
    return forest


def _sense(context: StoreContext, head: int) -> None:
    seen, backlog = context.log.state.watermark(sensor.STEP), context.backlog
    retry_failed(context.log, backlog.due(), (SENSOR,), backlog)
    if seen < head:
        run_steps(context.log, upcast(context.log.read(seen, types=sensor.TYPES, upto=head)), (SENSOR,), backlog)
        context.log.state.save_watermark(sensor.STEP, head)


def _changes(context: StoreContext, forest: Forest, held: set[str], *, fresh: bool) -> Iterator[Changes]:
    """Yield batches that bring graph and index in line with the forest: everything, or only what changed. `held` are
    memories of the index that the graph may lack."""
    wanted = None if forest.whole else forest.dirty
    have = _digests(context, wanted)
    told: set[str] = set()
    for batch in iterate_batches(_changed_memories(forest, wanted, told, {} if fresh else have), _AT_ONCE):
        changes = compact_batches(batch)  # many memories share a tag
        again = [node.id for node in changes.nodes if node.label == "Memory" and node.id in have]
        stale = _with_stale_relations(context, again, changes)
        changes.removed_edges += [EdgeKey(kind, "Memory", one, label) for one in stale for kind, label in _LEADS_TO]
        yield changes
    gone = sorted((have.keys() | held) - told) if wanted is None else []
    if gone:
        yield Changes(
            removed_nodes=[("Memory", one) for one in gone],
            removed_items=[item for one in gone for item in (one, trigger_item(one))],
        )


def _with_stale_relations(context: StoreContext, again: list[str], changes: Changes) -> list[str]:
    """Return the memories among `again` that have a relation in the graph which `changes` no longer contains. A memory
    that only grows has none: removing its new relations would cost a checkpoint (0.2 s of processor time) each time."""
    if not again:
        return []
    kept = {(edge.source, edge.type, edge.target) for edge in changes.edges}
    present = context.graph.query(resources.text(_LEADS_OF), {"ids": again}).rows
    return list(dict.fromkeys(memory for memory, kind, target in present if (memory, kind, target) not in kept))


def _changed_memories(
    forest: Forest, wanted: set[str] | None, told: set[str], have: dict[str, str]
) -> Iterator[Changes]:
    """Yield each memory whose digest differs; `told` collects all ids."""
    for woven in forest.nodes(wanted):
        told.add(woven.proto.id)
        made = _node_changes(woven, forest)
        if have.get(woven.proto.id) != made.nodes[0].properties["digest"]:
            yield made


def _digests(context: StoreContext, wanted: set[str] | None) -> dict[str, str]:
    if wanted is None:
        return dict(context.graph.query(resources.text(_DIGESTS)).rows)
    return dict(context.graph.query(resources.text(_DIGESTS_OF), {"ids": sorted(wanted)}).rows) if wanted else {}


def _node_changes(woven: LinkedMemory, forest: Forest) -> Changes:
    proto = woven.proto
    links = [one for one, _ in woven.links]
    properties = {
        "session": proto.session, "project": proto.project, "summary": proto.summary, "trigger": proto.trigger,
        "content_key": proto.key, "tags": list(woven.tags), "links": links, "originals": list(proto.turns),
        "absorbed": list(proto.absorbed), "turns": len(proto.turns), "recall_mode": proto.mode, "reason": proto.reason,
        "depth": 0, "at": proto.at, "until": proto.until,
    }  # fmt: skip
    edges = [Edge("PART_OF", "Memory", proto.id, "Session", names.session_id(proto.session), {})]
    edges += [Edge("DERIVED_FROM", "Memory", proto.id, "Turn", turn, {"at": proto.at}) for turn in proto.turns]
    following = forest.after(proto.id)
    if following:
        edges.append(Edge("NEXT", "Memory", proto.id, "Memory", following, {}))
    nodes = []
    for tag in woven.tags:
        nodes.append(Node("Tag", names.topic_id(tag), {"name": tag, "project": proto.project}))
        edges.append(Edge("TAGGED", "Memory", proto.id, "Tag", names.topic_id(tag), {}))
    edges += [Edge("SHARES_TAG", "Memory", proto.id, "Memory", one, {"weight": weight}) for one, weight in woven.links]
    alike = forest.alike(proto.id).items()
    edges += [Edge("SIMILAR_TO", "Memory", proto.id, "Memory", one, {"similarity": how}) for one, how in alike]
    told = json.dumps([properties, edges], sort_keys=True, default=str)
    properties["digest"] = hashlib.sha256(told.encode()).hexdigest()[:20]
    shared = (proto.at, "", proto.session, proto.project, "", "", proto.clock, woven.tags)
    items = [Item(proto.id, SUMMARIES, "", proto.summary, *shared),
             Item(trigger_item(proto.id), TRIGGERS, "", proto.trigger, *shared)]  # fmt: skip
    return Changes(nodes=[Node("Memory", proto.id, properties), *nodes], edges=edges, items=items)


def trigger_item(identifier: str) -> str:
    """Return the id of the item with the trigger of a memory."""
    return f"{identifier}#trigger"
