"""Lowers expression and type nodes of any grammar to small tuples (see `summary`), by the tables `[x.lower]` in
languages.toml. Purely syntactic."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from graphmem.codegraph import languages
from graphmem.codegraph.generic import targets
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 40  # an expression nested deeper than this is generated code, and its receiver is unknown anyway
_ARGUMENTS = frozenset({"value_arguments", "argument_list"})  # where the grammar names no field
_TRIED = ("try_expression", "await_expression")
_SUFFIXES = frozenset({"call_suffix", "constructor_suffix"})
_NUMBERS = {("int", "l"): "long", ("int", "u"): "uint", ("double", "f"): "float", ("double", "m"): "decimal"}
_PLACES = 40  # elements of a list whose values are known by position
_BEHIND = "annotated_lambda"
_BLOCK = "block_argument"  # Ruby: `&block`, for which there is no parameter
_ONE_OF = frozenset({"||", "??", "&&", "?:"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
Handler = Callable[["Lowerer", "Node", int], Expr | None]


@cache
def lowerer(language: str) -> Lowerer:
    """Return the cached lowerer of a language."""
    return Lowerer(language)


class Lowerer:
    """Converts nodes to expressions; None if the form does not determine a value."""

    def __init__(self, language: str) -> None:
        known = languages.get_language(language)
        self.names: set[str] = set()  # every name lowered since `start`
        self.calls: dict[int, Expr] = {}  # a call within a chain of calls is asked for again and again
        self._arguments = known.arguments or known.overloads
        self._pastes = known.pastes
        self.operators = _ONE_OF | _ARITHMETIC if known.overloads else _ONE_OF  # what is the same as one of its sides
        self._table: dict[str, Handler] = {}
        for tag, entry in known.lower.items():
            if tag == "words":
                continue
            make = globals()[f"_{tag}"]
            for node_type in entry:
                spec = entry[node_type] if isinstance(entry, dict) else None
                self._table[node_type] = make if spec is None else partial(make, spec=spec)
        self.places = "array" in known.lower
        self.typenames = frozenset(known.lower.get("typename", ()))
        self._text = frozenset(known.lower.get("text", ()))
        words = known.lower.get("words", {})
        self.words: dict[str, Expr] = {word: (tag,) for word, tag in words.items()}
        self.marks = ".?" + known.sigil  # before the name of a member, and no part of it

    def start(self) -> None:
        """Reset for the next file."""
        self.names = set()
        self.calls = {}

    def expr(self, node: Node | None, depth: int = 0) -> Expr | None:
        """Return the expression of a node."""
        if node is None or depth > _DEPTH:
            return None
        handler = self._table.get(node.type)
        return handler(self, node, depth + 1) if handler else None

    def arguments(self, call: Node, depth: int) -> tuple[Expr | None, ...]:
        """Return the arguments of a call, lowered only if the language's value flow needs them."""
        if not self._arguments and not self._pastes:
            return ()
        nodes = [child for child in _given(call) if not child.is_extra and child.type != _BLOCK]
        if not self._arguments:  # only the bare names, which a macro may paste together
            return tuple(("name", text_of(child)) if child.type == "identifier" else None for child in nodes)
        return tuple(self.expr(child, depth) for child in nodes)


def _given(call: Node) -> list[Node]:
    """Return the arguments of a call, including a trailing function after the parentheses."""
    node = call.child_by_field_name("arguments")
    if node is not None and node.type == "template_string":  # a tag gets the texts, and then what is between them
        parts = [child.named_children for child in node.named_children if child.type == "template_substitution"]
        return [node, *(part[0] for part in parts if part)]
    if node is not None:
        return node.named_children
    suffix = next((child for child in call.named_children if child.type in _SUFFIXES), None)
    if suffix is not None:  # Swift: `f(x) { ... }`
        lists = [child for child in suffix.named_children if child.type in _ARGUMENTS]
        behind = [child for child in suffix.named_children if child.type == "lambda_literal"]
        first, around = call, call.parent
        while around is not None and around.type in _TRIED:
            first, around = around, around.parent
        if around is not None and around.type == call.type and around.named_child(0) == first and _is_behind(around):
            behind += [child for child in around.named_children[1].named_children if child.type == "lambda_literal"]
        return [*(child for each in lists for child in each.named_children), *behind]
    node = next((child for child in call.named_children if child.type in _ARGUMENTS), None)
    around = call.parent
    behind = [child for child in call.named_children if child.type == _BEHIND]
    if around is not None and around.type == call.type and around.named_child(0) == call:
        behind += [child for child in around.named_children if child.type == _BEHIND]
    return [*(node.named_children if node is not None else ()), *behind]


def _is_behind(call: Node) -> bool:
    """Return whether a call is only functions behind another call, in Swift: `f(x) { ... } other: { ... }`."""
    suffix = call.named_children[1] if call.named_child_count == 2 else None
    return suffix is not None and suffix.type == "call_suffix" and suffix.named_children[0].type == "lambda_literal"


def _pick(node: Node, field: str | int) -> Node | None:
    if field == "":
        for child in node.named_children:
            if not child.is_extra:
                return child
        return None
    if isinstance(field, int):
        return node.named_child(field) if field < node.named_child_count else None
    return node.child_by_field_name(field)


def _pair(node: Node, spec: list[str]) -> tuple[Node | None, Node | None]:
    if spec[1] == "" and spec[0]:
        return _pick(node, spec[0]), (node.named_child(node.named_child_count - 1) if node.named_child_count else None)
    if spec == ["", ""]:
        return node.named_child(0), (
            node.named_child(node.named_child_count - 1) if node.named_child_count > 1 else None
        )
    return _pick(node, spec[0]), _pick(node, spec[1])


def text_of(node: Node) -> str:
    """Return the text of a node; invalid UTF-8 becomes U+FFFD."""
    return (node.text or b"").decode("utf-8", "replace")


def _name(low: Lowerer, node: Node, depth: int) -> Expr | None:
    text = text_of(node)
    if text.startswith("`"):  # Scala, Kotlin, Swift: quoted, which is no part of the name
        text = text.strip("`")
    word = low.words.get(text)
    if word is not None:
        return word
    low.names.add(text)
    return ("name", text)


def _typename(low: Lowerer, node: Node, depth: int) -> Expr | None:
    text = text_of(node)
    low.names.add(text)
    return ("name", text, "type")


def _usertype(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """Return a type written as names with points, and type arguments behind: Kotlin's `a.Outer.Inner<T>`."""
    out: Expr | None = None
    given: tuple[Expr | None, ...] = ()
    for child in node.named_children:
        if child.type == "identifier":
            text = text_of(child)
            low.names.add(text)
            out = ("name", text, "type") if out is None else ("attr", out, text, "type")
        elif child.type == "type_arguments":
            given = tuple(low.expr(c, depth) for c in child.named_children if not c.is_extra)
    return ("gen", out, given) if out is not None and given else out


def _own(low: Lowerer, node: Node, depth: int) -> Expr | None:
    text = text_of(node)
    low.names.add(text)
    return ("attr", ("this",), text)


def _path(low: Lowerer, node: Node, depth: int) -> Expr | None:
    out: Expr | None = None
    for part in text_of(node).replace("\\", ".").replace("::", ".").strip(".").split("."):
        low.names.add(part)
        out = ("name", part) if out is None else ("attr", out, part)
    return out


def _special(low: Lowerer, node: Node, depth: int) -> Expr | None:
    text = text_of(node)
    return ("super",) if text == "parent" else ("name", text)


def _attr(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    owner, name = _pair(node, spec)
    if name is None:
        return None
    if name.type == "generic_type":  # Outer.Inner<T>
        name = name.named_child(0) or name
    if owner is None:
        inner = low.expr(name, depth) or ("name", text_of(name))
        return ("name", inner[1], "root") if inner[0] == "name" and text_of(node)[:2] == "::" else inner
    base = low.expr(owner, depth)
    if name.type in ("template_function", "template_method", "template_type", "generic_name", "qualified_identifier"):
        return _qualified(low, base, name, depth)
    text = text_of(name).lstrip(low.marks)
    low.names.add(text)
    return ("attr", base, text, "type") if name.type in low.typenames else ("attr", base, text)


def _qualified(low: Lowerer, base: Expr | None, name: Node, depth: int) -> Expr | None:
    """Handle a::b<T> and a::(b::c): the right side is itself a form with parts."""
    inner = low.expr(name, depth)
    if inner is None or inner[0] not in ("name", "attr", "gen"):
        return None
    return _prepend(base, inner)


def _prepend(base: Expr | None, inner: Expr) -> Expr:
    if inner[0] == "name":
        return ("attr", base, inner[1])
    if inner[0] == "gen":
        return ("gen", _prepend(base, inner[1]), inner[2])
    return ("attr", _prepend(base, inner[1]), inner[2])


def _call(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    mark = node.id
    known = low.calls.get(mark)
    if known is None:
        known = low.calls[mark] = _whole_call(low, node, depth, spec)
    return known


def _whole_call(low: Lowerer, node: Node, depth: int, spec: Any) -> Expr:
    if isinstance(spec, list):  # receiver and name lie in the call itself
        owner, name = _pick(node, spec[0]), _pick(node, spec[1])
        if name is None:
            return ("call", None, ())
        special = low.expr(name, depth) if owner is None else None
        if special is not None and special[0] in ("super", "this"):
            return ("call", special, low.arguments(node, depth))
        text = text_of(name)
        low.names.add(text)
        if owner is not None and _is_assigned(node):  # Ruby: `order.total = 3` calls `total=`
            text += "="
            low.names.add(text)
        callee: Expr | None = ("name", text) if owner is None else ("attr", low.expr(owner, depth), text)
    else:
        inner = _pick(node, spec)
        callee = low.expr(inner, depth)
        if inner is not None and _is_subscript(node):  # Swift: `items[0]` reads like a call
            return ("index", callee)
        if inner is not None and inner.type == "array_literal" and inner.named_child_count == 1:  # Swift: `[Item]()`
            return ("cast", ("list", low.expr(inner.named_child(0), depth)))
        behind = node.named_child_count == 2 and (node.named_children[1].type == _BEHIND or _is_behind(node))
        if behind and callee and callee[0] == "call" and inner is not None and inner.type in (node.type, *_TRIED):
            return callee  # `f(x) { ... }`: one call, whose last argument stands behind
        types = node.child_by_field_name("type_arguments")
        if types is not None:  # TypeScript: `find<Item>(1)`
            written = tuple(low.expr(child, depth) for child in types.named_children if not child.is_extra)
            return ("call", callee, low.arguments(node, depth), written)
    return ("call", callee, low.arguments(node, depth))


def _is_assigned(call: Node) -> bool:
    around = call.parent
    return around is not None and around.type == "assignment" and around.child_by_field_name("left") == call


def _is_subscript(call: Node) -> bool:
    """Return whether the arguments of a call are in brackets."""
    last = call.named_child(call.named_child_count - 1) if call.named_child_count else None
    given = last.named_child(0) if last is not None and last.type == "call_suffix" else None
    return given is not None and given.type == "value_arguments" and given.children[0].type == "["


def _macro(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    return ("call", low.expr(_pick(node, spec), depth), ())


def _new(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    inner = low.expr(_pick(node, spec), depth)
    types = node.child_by_field_name("type_arguments")
    if inner and types is not None:  # new Map<string, Item>()
        inner = ("gen", inner, tuple(low.expr(c, depth) for c in types.named_children if not c.is_extra))
    return ("new", inner, low.arguments(node, depth)) if inner else None


def _implied(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """C#: return what `new(...)` makes: an instance of the type that its place expects."""
    type_ = targets.expected(low, node, depth)
    return ("new", type_, low.arguments(node, depth)) if type_ else None


def _initial(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """C#: return the call of another constructor before the body of one: `: base(1)`."""
    base = any(child.type == "base" for child in node.children)
    return ("call", ("super",) if base else ("this",), low.arguments(node, depth))


def _argument(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """Return an argument with or without its parameter name."""
    count = node.named_child_count
    label = node.named_child(0) if any(child.type in ("=", ":") for child in node.children) else None
    value = low.expr(node.named_child(count - 1), depth) if count else None
    return ("named", text_of(label), value) if label is not None else value


def _pair_argument(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """Return an argument with the name before it: Ruby's `total: 3` and `:total => 3`."""
    key, value = node.child_by_field_name("key"), low.expr(node.child_by_field_name("value"), depth)
    return ("named", text_of(key).strip(":\"'"), value) if key is not None else value


def _cast(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    type_ = _pick(node, spec)
    inner = low.expr(type_, depth)
    given = node.child_by_field_name("operand")
    if inner and inner[0] == "gen" and given is not None:  # Go: `One[int](1)` is written like a conversion
        return ("call", inner, (low.expr(given, depth),))
    return ("cast", inner) if inner else None


def _narrow(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    """Return a value that is said to have a type: `value as Type`. The type may say nothing (`as const`, `as any`)."""
    value, type_ = (_pick(node, place) for place in spec)
    inner = low.expr(value, depth)
    said = low.expr(type_, depth) if type_ is not None and type_ != value else None
    return ("as", said, inner) if said and inner else ("cast", said) if said else inner


def _this(low: Lowerer, node: Node, depth: int) -> Expr | None:
    text = text_of(node)
    if "@" in text:  # Kotlin: `this@Outer`
        outer = text.partition("@")[2]
        low.names.add(outer)
        return ("attr", ("name", outer), "this")
    return ("this",)


def _super(low: Lowerer, node: Node, depth: int) -> Expr | None:
    return ("super",)


def _same(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    if node.type == "unary_expression" and node.child_count and node.children[0].type == "<-":
        inner = low.expr(_pick(node, spec), depth)
        return ("index", inner) if inner else None
    return low.expr(_pick(node, spec), depth)


_value = _same


def _last(low: Lowerer, node: Node, depth: int) -> Expr | None:
    count = node.named_child_count
    return low.expr(node.named_child(count - 1), depth) if count else None


def _either(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type not in low.operators:
            return None
        if operator.type == "&&":  # the first is given only where it is nothing
            return low.expr(_pick(node, spec[1]), depth)
    first, second = (low.expr(_pick(node, s), depth) for s in spec)
    return ("either", first, second) if first and second else first or second


def _index(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    owner, key = _pair(node, spec)
    base = low.expr(owner, depth)
    if key is not None and key.type in low._text:
        return ("attr", base, text_of(key).strip("\"'`"), "key")
    if node.type == "slice_expression":
        return base
    place = text_of(key) if key is not None and base is not None else ""
    if place.isdigit() and len(place) < 4 and low.places:
        return ("item", base, int(place))
    if low.places and base is not None and key is not None and key.type in ("identifier", "string", "template_string"):
        return ("index", base, low.expr(key, depth))
    return ("index", base) if base else None


def _list(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    inner = low.expr(_pick(node, spec), depth)
    return ("list", inner) if inner else ("lit", "Array")


def _array(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """Return a list literal, whose elements are known by position."""
    parts = tuple(low.expr(c, depth) for c in node.named_children if not c.is_extra)
    return ("array", parts, node.start_byte) if len(parts) <= _PLACES else ("lit", "Array")


def _spread(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    inner = low.expr(_pick(node, spec), depth)
    return ("spread", inner) if inner else None


def _sent(low: Lowerer, node: Node, depth: int) -> Expr | None:
    """Return a `yield`, whose value is what the generator is given back."""
    inner = node.named_child(0) if node.named_child_count else None
    return ("sent", low.expr(inner, depth), any(child.type == "*" for child in node.children))


def _listvalue(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    inner = low.expr(_pick(node, spec), depth)
    return ("cast", ("list", inner)) if inner else None


def _generic(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    owner, arguments = _pair(node, spec)
    base = low.expr(owner, depth)
    if base is None or arguments is None or arguments == owner or "argument" not in arguments.type:
        return low.expr(arguments, depth) if base is None else base
    inner = tuple(low.expr(c, depth) for c in arguments.named_children if not c.is_extra)
    return ("gen", base, inner)


def _tuple(low: Lowerer, node: Node, depth: int) -> Expr | None:
    parts = tuple(low.expr(c, depth) for c in node.named_children if not c.is_extra)
    if len(parts) == 1:
        return parts[0]
    return ("tuple", parts) if parts else None


def _union(low: Lowerer, node: Node, depth: int) -> Expr | None:
    parts = [p for p in (low.expr(c, depth) for c in node.named_children) if p]
    out: Expr | None = None
    for part in reversed(parts):
        out = part if out is None else ("either", part, out)
    return out


def _literal(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    if node.type in low._text:
        return ("str", text_of(node).strip("\"'`"))
    return ("lit", _number(spec, text_of(node).lower()) if spec in ("int", "double") else spec)


def _number(spec: str, text: str) -> str:
    """Return the type of a number as written: 1 is an int, 1L a long, 1.5 a double, 1.5f a float."""
    if spec == "int" and not text.startswith("0x") and ("." in text or "e" in text):
        spec = "double"  # C and C++ have one form for both
    return _NUMBERS.get((spec, text[-1:]), spec)


def _text(low: Lowerer, node: Node, depth: int) -> Expr | None:
    return ("str", text_of(node).strip("\"'`"))


def _function(low: Lowerer, node: Node, depth: int) -> Expr | None:
    return ("fn", node.start_byte)


def _function_type(low: Lowerer, node: Node, depth: int, spec: Any = None) -> Expr | None:
    if spec == "":  # Kotlin: (A, B) -> C
        parts = node.named_children
        taken = next((part.named_children for part in parts if part.type == "function_type_parameters"), [])
        types = tuple(low.expr(part.named_children[-1] if part.type == "parameter" else part, depth) for part in taken)
        return ("func", low.expr(parts[-1], depth) if parts else None, types)
    inner = low.expr(_pick(node, spec), depth)
    swift = node.child_by_field_name("params")
    if swift is not None:  # (A, B) -> C
        return ("func", inner, tuple(low.expr(child, depth) for child in swift.named_children))
    parameters = node.child_by_field_name("parameters")
    if parameters is not None and parameters.type == "parameters":  # Rust: Fn(A, B) -> C
        taken_types = (child for child in parameters.named_children if not child.is_extra)
        return ("func", inner or None, tuple(low.expr(child, depth) for child in taken_types))
    if parameters is None or parameters.type != "formal_parameters":
        return ("func", inner or None)
    signature: list[Expr | None] = []
    for child in parameters.named_children:  # TypeScript: (a: A, ...rest: B[]) => C
        pattern = child.child_by_field_name("pattern")
        if pattern is not None and pattern.type != "this":
            type_ = low.expr(child.child_by_field_name("type"), depth)
            signature.append(("rest", type_) if pattern.type == "rest_pattern" else type_)
    return ("func", inner or None, tuple(signature))


def _object(low: Lowerer, node: Node, depth: int) -> Expr | None:
    return ("obj", node.start_byte)
