"""Dependency analysis: effective blockers after all resolutions, chains to the root, cycles, the critical path, and what
closing a task would unblock. Read-only; all traversals are iterative and safe on cycles, which merged logs can contain."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from graphmem.model.tasks import Blocker, Task
from graphmem.tasks.book import TaskBook

State = Literal["direct", "resolved", "pending"]


def follow_resolutions(book: TaskBook, entity: str) -> tuple[str, list[str]]:
    """Return what an entity was resolved to: the end of its chain of confirmed resolutions, and the ids of the chain. The
    end is "" for a condition that was fulfilled without a task."""
    path = [entity]
    seen = {entity}
    while (condition := book.conditions.get(path[-1])) is not None and condition.resolved:
        if not condition.resolved_to:
            return "", path
        if condition.resolved_to in seen:  # circular resolution: it still waits
            return path[-1], path
        path.append(condition.resolved_to)
        seen.add(condition.resolved_to)
    return path[-1], path


def is_blocking(book: TaskBook, entity: str) -> bool:
    """Return whether an entity still blocks: an open task, or an unresolved condition or artifact. Unknown ones do not."""
    if (task := book.tasks.get(entity)) is not None:
        return task.open
    end, _ = follow_resolutions(book, entity)
    if end in book.tasks:
        return book.tasks[end].open
    if end in book.artifacts:
        return not book.artifacts[end].resolved
    return end in book.conditions


def awaited_entities(book: TaskBook, task: Task) -> Iterator[str]:
    """Yield the ids of what a task waits for: its own blockers and those of its parents. Tasks inside the same parent are
    excluded for its parts: an epic waits for its children, but they do not wait for each other."""
    for _, target in book.waits(task):
        yield target
    ancestor, seen = task.parent, {task.id}
    while ancestor and ancestor not in seen and (parent := book.tasks.get(ancestor)) is not None:
        seen.add(ancestor)
        for _, target in book.waits(parent):
            if not _is_descendant(book, target, ancestor) and target not in seen:
                yield target
        ancestor = parent.parent


def _is_descendant(book: TaskBook, entity: str, ancestor: str) -> bool:
    """Return whether an entity is a part of a task, at any depth."""
    seen: set[str] = set()
    while entity and entity not in seen:
        seen.add(entity)
        task = book.tasks.get(entity)
        if task is None:
            return False
        if task.parent == ancestor:
            return True
        entity = task.parent
    return False


def is_unblocked(book: TaskBook, task: Task) -> bool:
    """Return whether nothing blocks the task."""
    return not any(is_blocking(book, target) for target in awaited_entities(book, task))


def with_current_blockers(book: TaskBook, task: Task) -> Task:
    """Return the task with only its current blockers; a blocked task without any is pending. This affects only the view;
    the log keeps everything, so that undoing a resolution blocks again."""
    if task.status != "blocked":
        return task
    left = tuple(ref for ref in task.blocked_by if is_blocking(book, ref.id))
    if left or (not task.blocked_by and any(is_blocking(book, ref.id) for ref in task.suggested)):
        return replace(task, blocked_by=left)
    return replace(task, status="pending", blocked_by=())


def effective_blockers(book: TaskBook, task: Task) -> list[Blocker]:
    """Return the current blockers after resolutions, each once with its chain of ids."""
    found: dict[str, Blocker] = {}
    for target in awaited_entities(book, task):
        if is_blocking(book, target):
            end, path = follow_resolutions(book, target)
            state: State = "resolved" if len(path) > 1 else "pending" if end in book.conditions else "direct"
            found.setdefault(end, Blocker(book.kind_of(end), end, book.title_of(end), (task.id, *path), state))
    return list(found.values())


def root_blockers(book: TaskBook, task: Task) -> list[Blocker]:
    """Return the ends of all blocker chains: entities that block the task and are not blocked themselves, nearest first,
    each with its shortest chain. On a cycle, the last entity represents the end."""
    before: dict[str, str] = {task.id: ""}
    ends: list[str] = []
    queue = deque([task.id])
    while queue:
        current = queue.popleft()
        onward = False
        for target in _onward(book, current):
            if target == current or not is_blocking(book, target):
                continue
            onward = True
            if target not in before:
                before[target] = current
                queue.append(target)
        if not onward and current != task.id:
            ends.append(current)
    if not ends and len(before) > 1:
        ends = [list(before)[-1]]
    return [Blocker(book.kind_of(end), end, book.title_of(end), _trace(before, end)) for end in ends]


def _onward(book: TaskBook, entity: str) -> Iterable[str]:
    if (task := book.tasks.get(entity)) is not None:
        return awaited_entities(book, task)
    condition = book.conditions.get(entity)
    return (condition.resolved_to,) if condition and condition.resolved and condition.resolved_to else ()


def _trace(before: dict[str, str], end: str) -> tuple[str, ...]:
    chain = []
    while end:
        chain.append(end)
        end = before[end]
    return tuple(reversed(chain))


def find_cycle(book: TaskBook, task: str, target: str) -> tuple[str, ...]:
    """Return the cycle that would result if `task` waited for `target`, from the task back to itself; () if none.
    Conditions and artifacts count as resolved; closed tasks count, because they may be reopened."""
    if task == target:
        return (task, task)
    before: dict[str, str] = {target: ""}
    queue = deque([target])
    while queue:
        current = queue.popleft()
        for onward in _declared(book, current):
            if onward == task:
                return (task, *_trace(before, current), task)
            if onward not in before:
                before[onward] = current
                queue.append(onward)
    return ()


def _declared(book: TaskBook, entity: str) -> Iterable[str]:
    """Return what an entity waits for according to its declaration, whether or not it still applies."""
    known = book.tasks.get(entity)
    if known is not None:
        return (target for _, target in book.waits(known))
    condition = book.conditions.get(entity)
    return (condition.resolved_to,) if condition and condition.resolved_to else ()


def lineage_cycle(book: TaskBook, task: str, parent: str) -> tuple[str, ...]:
    """Return the cycle that would result if `task` became part of `parent`; () if none."""
    path = [task, parent]
    while (
        path[-1] != task and path[-1] in book.tasks and (ancestor := book.tasks[path[-1]].parent) and len(path) < 10_000
    ):
        path.append(ancestor)
    return tuple(path) if path[-1] == task else ()


def freed_tasks(book: TaskBook, task: Task) -> list[Task]:
    """Return the open tasks that nothing would block after this one is closed."""
    waiting = dict.fromkeys(_waiting_for(book, task.id))
    result = []
    for each in waiting:
        other = book.tasks[each]
        blockers = {
            end
            for target in awaited_entities(book, other)
            if is_blocking(book, target)
            for end, _ in [follow_resolutions(book, target)]
        }
        if other.open and blockers == {task.id}:
            result.append(other)
    return result


def _waiting_for(book: TaskBook, entity: str) -> Iterator[str]:
    """Yield tasks that wait for an entity: directly, through conditions that resolve to it, or as parts of such tasks."""
    resolved_to: dict[str, list[str]] = defaultdict(list)
    for condition in book.conditions.values():
        resolved_to[condition.resolved_to].append(condition.id)
    pending, seen = [entity], {entity}
    while pending:
        current = pending.pop()
        for source in resolved_to.get(current, ()):
            if source not in seen:
                seen.add(source)
                pending.append(source)
        for waiting in book.dependents.get(current, ()):
            parts = [waiting]
            while parts:
                part = parts.pop()
                if part not in seen:
                    seen.add(part)
                    yield part
                    parts += book.children.get(part, ())


def _blocking_chains(book: TaskBook) -> dict[str, str]:
    """Return for each blocked entity the next one on the shortest path to a root; "" for a root (one traversal in total).
    Entities only on cycles are omitted."""
    onward: dict[str, list[str]] = {}
    back: dict[str, list[str]] = defaultdict(list)
    pending = [task.id for task in book.tasks.values() if task.open]
    while pending:
        current = pending.pop()
        if current not in onward:
            onward[current] = [each for each in _onward(book, current) if each != current and is_blocking(book, each)]
            for each in onward[current]:
                back[each].append(current)
            pending += onward[current]
    hops = {current: "" for current in sorted(onward) if not onward[current]}
    queue = deque(hops)
    while queue:
        current = queue.popleft()
        for each in back[current]:
            if each not in hops:
                hops[each] = current
                queue.append(each)
    return hops


def held_tasks(book: TaskBook) -> list[tuple[Task, list[Blocker]]]:
    """Return every blocked open task with its direct blockers, each with the chain to its nearest root."""
    hops = _blocking_chains(book)
    found = []
    for task in book.tasks.values():
        if task.open and hops.get(task.id, "?"):
            blockers = effective_blockers(book, task)
            found.append((task, [replace(each, chain=(*each.chain, *_rest(hops, each.id))) for each in blockers]))
    return found


def _rest(hops: dict[str, str], entity: str) -> list[str]:
    path = []
    while entity := hops.get(entity, ""):
        path.append(entity)
    return path


def critical_path(book: TaskBook, goal: str | None = None) -> list[Task]:
    """Return the longest chain of open tasks in which each waits for its predecessor, in order of execution; ending at
    `goal` if given. One task represents a cycle. Ties go to smaller ids."""
    import networkx as nx

    tasks = {task.id: task for task in book.tasks.values() if task.open}
    graph = nx.DiGraph()
    for id_ in sorted(tasks):
        ends = {follow_resolutions(book, target)[0] for target in awaited_entities(book, tasks[id_])}
        graph.add_edges_from((end, id_) for end in sorted(ends & tasks.keys() - {id_}))
    if goal in graph:
        graph = graph.subgraph(nx.ancestors(graph, goal) | {goal})
    elif goal in tasks or not graph:
        return [tasks[goal]] if goal in tasks else []
    if nx.is_directed_acyclic_graph(graph):
        return [tasks[each] for each in nx.dag_longest_path(graph)]
    whole = nx.condensation(graph)
    return [tasks[min(whole.nodes[each]["members"])] for each in nx.dag_longest_path(whole)]
