"""Evaluates Python expressions over literal tables, also those of other files: which values a loop variable takes, and the
string, the condition or the function that an expression stands for in one round. A tree may be written to make this
endless, so steps, elements and lengths are limited; beyond the limits a value is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph.nesting import Nesting

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 12  # maximum steps from a name to its value
_STEPS = 300_000  # maximum evaluations and elements of a tree: about a second
_LONGEST = 1_000  # characters of a string; routes are shorter
_SERIES = frozenset({"tuple", "list", "set"})
_DEFINITIONS = frozenset({"function_definition", "class_definition"})
_COMPOUND = _DEFINITIONS | {"for_statement", "if_statement"}
_BODIES = frozenset(
    {
        "block", "elif_clause", "else_clause", "while_statement", "with_statement", "try_statement", "except_clause",
        "finally_clause", "decorated_definition", "match_statement", "case_clause",
    }
)  # fmt: skip
_COPIES = frozenset({"tuple", "list", "sorted", "reversed", "set"})
_TEXT: Mapping[str, Callable[..., str]] = {
    name: getattr(str, name)
    for name in ("replace", "lower", "upper", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "title")
}


class Value(NamedTuple):
    """An expression or definition, and the file that it is in."""

    node: Node
    file: str


Bindings = dict[str, Value]
Known = str | bool | Value | None  # None if unknown


def text_of(node: Node | None) -> str:
    """Return the text of a node, "" for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


class Tables:
    """The literal values of a tree. `parse` returns the root of a file's syntax tree, `find_module` the file that a module's
    name means in another file; both return None if there is none."""

    def __init__(self, parse: Callable[[str], Node | None], find_module: Callable[[str, str], str | None]) -> None:
        self._parse = parse
        self._find_module = find_module
        self._tops: dict[str, dict[str, list[Value]]] = {}
        self._statements: tuple[str, Statements | None] = ("", None)
        self._steps = _STEPS

    def open(self, file: str, statements: Statements) -> None:
        """Set the file in which values of local variables are looked up, and its statements."""
        self._statements = (file, statements)

    def spend(self, steps: int = 1) -> bool:
        """Count steps, and return whether any are left."""
        self._steps -= steps
        return self._steps > 0

    def evaluate(self, value: Value, bound: Bindings, depth: int = _DEPTH) -> Known:
        """Return the string or truth value of an expression, otherwise what its name was given, or None if unknown."""
        node, file = value
        evaluator = _EVALUATORS.get(node.type)
        if depth == 0 or not self.spend():
            return None
        if evaluator is not None:
            return evaluator(self, value, bound, depth - 1)
        if node.type in ("true", "false", "none"):
            return node.type == "true"
        return Value(node, file)

    def string(self, value: Value, bound: Bindings, depth: int = _DEPTH) -> str:
        """Return the text that an expression has at run time; unknown parts in braces."""
        node = value.node
        if node.type == "binary_operator" and depth and text_of(node.child_by_field_name("operator")) == "+":
            return "".join(self.string(part, bound, depth - 1) for part in _sides(value))[:_LONGEST]
        found = self.evaluate(value, bound, depth)
        return found if isinstance(found, str) else f"{{{text_of(node)[:_LONGEST]}}}"

    def series(self, value: Value, bound: Bindings, depth: int = _DEPTH) -> list[Value] | None:
        """Return the elements of a literal table, in place or by name; for a dictionary, its pairs. None if unknown."""
        node, file = value
        if depth == 0 or not self.spend(node.named_child_count + 1):
            return None
        if node.type in _SERIES:
            return self._elements(value, bound, depth)
        if node.type == "dictionary":
            return [Value(child, file) for child in node.named_children if child.type == "pair"]
        if node.type == "binary_operator" and text_of(node.child_by_field_name("operator")) == "+":
            parts = [self.series(side, bound, depth - 1) for side in _sides(value)]
            if None in parts or not self.spend(sum(len(part or ()) for part in parts)):
                return None
            return [each for part in parts for each in part or ()]
        if node.type == "call":
            return self._series_of_call(value, bound, depth)
        found = self.evaluate(value, bound, depth - 1)
        return self.series(found, bound, depth - 1) if isinstance(found, Value) and found != value else None

    def function(self, value: Value, bound: Bindings, depth: int = _DEPTH) -> Value | None:
        """Return the definition that an expression hands over: of its name, or for a call that takes a row of the table,
        of the only function in this row. None if unknown."""
        node = value.node
        if depth == 0 or not self.spend():
            return None
        if node.type in _DEFINITIONS:
            return value
        if node.type == "conditional_expression":
            return self.function(self._branch(value, bound), bound, depth - 1)
        if node.type == "call":
            given = _arguments(node)
            rows = [bound[text_of(each)] for each in given if text_of(each) in bound] if self.spend(len(given)) else []
            functions = [f for row in rows for f in self._functions_of(row)]
            return functions[0] if len(functions) == 1 else None
        if node.type == "identifier":
            found: Known = self._named(value, bound, depth)
        else:
            found = self.evaluate(value, bound, depth)
        return self.function(found, bound, depth - 1) if isinstance(found, Value) and found != value else None

    def find(self, name: str, file: str, depth: int = _DEPTH) -> Value | None:
        """Return the definition of a name at the top of a file, or its only value there, also if it is imported."""
        found = self._top(file).get(name, [])
        if len(found) != 1 or depth == 0:
            return None
        node = found[0].node
        if node.type != "import_from_statement":
            return found[0]
        module = text_of(node.child_by_field_name("module_name"))
        target = self._find_module(module, file)
        return self.find(_imported(node, name), target, depth - 1) if target else None

    def _elements(self, value: Value, bound: Bindings, depth: int) -> list[Value] | None:
        found: list[Value] = []
        for child in _parts(value.node):
            if child.type != "list_splat":
                found.append(Value(child, value.file))
                continue
            inner = self.series(Value(child.named_children[0], value.file), bound, depth - 1)
            if inner is None or not self.spend(len(inner)):
                return None
            found += inner
        return found

    def _series_of_call(self, value: Value, bound: Bindings, depth: int) -> list[Value] | None:
        """Return the elements of `table.items()`, `table.values()`, or a copy of a table."""
        node, file = value
        function, given = node.child_by_field_name("function"), _arguments(node)
        if function is None:
            return None
        owner = function.child_by_field_name("object")
        method = text_of(function.child_by_field_name("attribute"))
        if owner is not None and method in ("items", "values"):
            pairs = self.series(Value(owner, file), bound, depth - 1)
            if pairs is None or method == "items":
                return pairs
            return [Value(part, each.file) for each in pairs if (part := each.node.child_by_field_name("value"))]
        if text_of(function) in _COPIES and given:
            return self.series(Value(given[0], file), bound, depth - 1)
        return None

    def _named(self, value: Value, bound: Bindings, depth: int) -> Value | None:
        """Return what a name was given: by a loop, by the only assignment in its function, or at the top of the file."""
        name = text_of(value.node)
        if name in bound:
            return bound[name]
        file, statements = self._statements
        local = statements.local_value(value.node, name) if statements is not None and file == value.file else None
        return Value(local, value.file) if local is not None else self.find(name, value.file, depth)

    def _branch(self, value: Value, bound: Bindings) -> Value:
        """Return the branch that a conditional expression takes; the first one if unknown."""
        then, condition, otherwise = (Value(part, value.file) for part in _parts(value.node))
        return otherwise if _truth(self.evaluate(condition, bound)) is False else then

    def _functions_of(self, row: Value) -> list[Value]:
        """Return the functions that a row of a table names."""
        parts = _arguments(row.node) if row.node.type == "call" else _parts(row.node)
        if not self.spend(len(parts)):
            return []
        values = [
            part.child_by_field_name("value") or part if part.type == "keyword_argument" else part for part in parts
        ]
        found = [self.find(text_of(part), row.file) for part in values if part.type == "identifier"]
        return [each for each in found if each is not None and each.node.type == "function_definition"]

    def _field(self, made: Value, name: str, depth: int) -> Value | None:
        """Return what a field was given where an object was made: by name, by position, or by default."""
        given = _arguments(made.node)
        if not self.spend(len(given)):
            return None
        for each in given:
            if each.type == "keyword_argument" and text_of(each.child_by_field_name("name")) == name:
                return Value(each.child_by_field_name("value") or each, made.file)
        cls = self.find(text_of(made.node.child_by_field_name("function")), made.file, depth)
        if cls is None or cls.node.type != "class_definition":
            return None
        fields = _fields(cls.node)
        positional = [each for each in given if each.type != "keyword_argument"]
        place = list(fields).index(name) if name in fields else len(positional)
        if place < len(positional):
            return Value(positional[place], made.file)
        default = fields.get(name)
        return Value(default, cls.file) if default is not None else None

    def _top(self, file: str) -> dict[str, list[Value]]:
        """Return what each name at the top of a file is given."""
        if file not in self._tops:
            table: dict[str, list[Value]] = {}
            root = self._parse(file)
            for statement in root.named_children if root is not None else ():
                for name, node in _given(statement):
                    table.setdefault(name, []).append(Value(node, file))
            self._tops[file] = table
        return self._tops[file]


class Statements:
    """The loops, conditions, definitions and local assignments of one file."""

    def __init__(self, root: Node) -> None:
        parts: list[tuple[int, int, Node]] = []
        self._assigned: dict[int, dict[str, list[Node]]] = {}  # by the start of the function
        waiting: list[tuple[Node, Node | None]] = [(root, None)]
        while waiting:
            node, function = waiting.pop()
            for child in node.named_children:
                if child.type == "expression_statement" and function is not None:
                    self._add_assignments(child, self._assigned.setdefault(function.start_byte, {}))
                elif child.type in _COMPOUND:
                    parts.append((child.start_byte, child.end_byte, child))
                    if child.type in _DEFINITIONS:
                        waiting.append((child, child if child.type == "function_definition" else None))
                    else:
                        waiting.append((child, function))
                elif child.type in _BODIES:
                    waiting.append((child, function))
        self._nesting = Nesting(parts)

    @staticmethod
    def _add_assignments(statement: Node, assigned: dict[str, list[Node]]) -> None:
        node = statement.named_children[0] if statement.named_children else None
        while node is not None and node.type == "assignment":
            value = node.child_by_field_name("right")
            if value is not None:
                assigned.setdefault(text_of(node.child_by_field_name("left")), []).append(value)
            node = value

    def around(self, place: int) -> list[Node]:
        """Return the loops, conditions and definitions around a byte of the file, the innermost first."""
        return self._nesting.around(place)

    def local_value(self, node: Node, name: str) -> Node | None:
        """Return the value of the only assignment to a name in the function around a node."""
        for outer in self.around(node.start_byte):
            if outer.type == "function_definition":
                values = self._assigned.get(outer.start_byte, {}).get(name, [])
                return values[0] if len(values) == 1 else None
        return None


def _given(statement: Node) -> Iterator[tuple[str, Node]]:
    """Yield the names that a statement at the top of a file defines, with their values."""
    if statement.type == "decorated_definition":
        statement = statement.child_by_field_name("definition") or statement
    if statement.type in ("function_definition", "class_definition"):
        yield text_of(statement.child_by_field_name("name")), statement
    elif statement.type == "import_from_statement":
        for each in statement.children_by_field_name("name"):
            yield text_of(each.child_by_field_name("alias") or each), statement
    elif statement.type == "expression_statement" and (inner := statement.named_children):
        value = inner[0].child_by_field_name("right") if inner[0].type == "assignment" else None
        if value is not None:
            yield text_of(inner[0].child_by_field_name("left")), value


def _imported(statement: Node, name: str) -> str:
    """Return the name in the other module of an imported name."""
    for each in statement.children_by_field_name("name"):
        if text_of(each.child_by_field_name("alias")) == name:
            return text_of(each.child_by_field_name("name"))
    return name


def _fields(cls: Node) -> dict[str, Node | None]:
    """Return the annotated fields of a class with their defaults, in order."""
    body = cls.child_by_field_name("body")
    found: dict[str, Node | None] = {}
    for statement in body.named_children if body is not None else ():
        inner = statement.named_children[0] if statement.named_children else statement
        if (
            statement.type == "expression_statement"
            and inner.type == "assignment"
            and inner.child_by_field_name("type")
        ):
            found[text_of(inner.child_by_field_name("left"))] = inner.child_by_field_name("right")
    return found


def _parts(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return _parts(given) if given is not None else []


def _sides(value: Value) -> list[Value]:
    return [Value(side, value.file) for name in ("left", "right") if (side := value.node.child_by_field_name(name))]


def _string(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    parts: list[str] = []
    if value.node.named_child_count > _LONGEST:
        return None
    for child in value.node.named_children:
        if child.type == "interpolation":
            parts.append(tables.string(Value(child.named_children[0], value.file), bound, depth))
        elif child.type in ("string", "string_content"):
            inner = (
                _string(tables, Value(child, value.file), bound, depth) if child.type == "string" else text_of(child)
            )
            parts.append(str(inner))
        if sum(map(len, parts)) > _LONGEST:
            return None
    return "".join(parts)


def _concatenation(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    sides = [tables.evaluate(side, bound, depth) for side in _sides(value)]
    plus = text_of(value.node.child_by_field_name("operator")) == "+"
    return _limit(f"{sides[0]}{sides[1]}") if plus and all(isinstance(side, str) for side in sides) else None


def _identifier(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    found = tables._named(value, bound, depth)
    return tables.evaluate(found, bound, depth) if found is not None and found != value else None


def _attribute(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    owner = value.node.child_by_field_name("object")
    made = tables.evaluate(Value(owner, value.file), bound, depth) if owner is not None else None
    if not isinstance(made, Value) or made.node.type != "call":
        return None
    field = tables._field(made, text_of(value.node.child_by_field_name("attribute")), depth)
    return tables.evaluate(field, {}, depth) if field is not None else None


def _call(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    """Return the result of a method of strings; otherwise the call itself, which may make an object."""
    function = value.node.child_by_field_name("function")
    method = text_of(function.child_by_field_name("attribute")) if function is not None else ""
    owner = function.child_by_field_name("object") if function is not None else None
    if owner is None or method not in _TEXT:
        return value
    given = [tables.evaluate(Value(each, value.file), bound, depth) for each in (owner, *_arguments(value.node))]
    try:
        return _limit(_TEXT[method](*given)) if all(isinstance(each, str) for each in given) else None
    except TypeError:
        return None


def _subscript(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    owner, place = value.node.child_by_field_name("value"), value.node.child_by_field_name("subscript")
    row = tables.evaluate(Value(owner, value.file), bound, depth) if owner is not None else None
    if not isinstance(row, Value) or place is None:
        return None
    if not tables.spend(row.node.named_child_count):
        return None
    parts = _parts(row.node)
    if row.node.type in ("tuple", "list") and text_of(place).isdigit() and int(text_of(place)) < len(parts):
        return tables.evaluate(Value(parts[int(text_of(place))], row.file), bound, depth)
    key = tables.evaluate(Value(place, value.file), bound, depth)
    for pair in parts if row.node.type == "dictionary" and isinstance(key, str) else ():
        name, inner = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if name is not None and inner is not None and tables.evaluate(Value(name, row.file), bound, depth) == key:
            return tables.evaluate(Value(inner, row.file), bound, depth)
    return None


def _conditional(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    then, condition, otherwise = (Value(part, value.file) for part in _parts(value.node))
    truth = _truth(tables.evaluate(condition, bound, depth))
    return None if truth is None else tables.evaluate(then if truth else otherwise, bound, depth)


def _not(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    inner = _truth(tables.evaluate(Value(_parts(value.node)[-1], value.file), bound, depth))
    return None if inner is None else not inner


def _logic(tables: Tables, value: Value, bound: Bindings, depth: int) -> Known:
    """Return the truth of `a and b` or `a or b`, if one side decides it."""
    sides = [_truth(tables.evaluate(side, bound, depth)) for side in _sides(value)]
    deciding = text_of(value.node.child_by_field_name("operator")) == "or"
    if deciding in sides:
        return deciding
    return None if None in sides else not deciding


def _limit(text: str) -> str | None:
    return text if len(text) <= _LONGEST else None


def _truth(found: Known) -> bool | None:
    return bool(found) if isinstance(found, str | bool) else None


_EVALUATORS: dict[str, Callable[[Tables, Value, Bindings, int], Known]] = {
    "string": _string,
    "concatenated_string": _string,
    "binary_operator": _concatenation,
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "subscript": _subscript,
    "conditional_expression": _conditional,
    "not_operator": _not,
    "boolean_operator": _logic,
    "parenthesized_expression": lambda tables, value, bound, depth: tables.evaluate(
        Value(_parts(value.node)[0], value.file), bound, depth
    ),
}
