"""Decides whether a call on a type from outside of the tree may run a method within it. `t.Add(1)` on a `time.Time` cannot, whoever
else has a method `Add`; `w.Write(b)` on an `io.Writer` can run the `Write` of every type that has all of its methods."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.codegraph import languages
from graphmem.codegraph.view import View, of_type
from graphmem.model.code import CodeEdge, Symbol

_STATIC = re.compile(r"(?:^|\s)static\s")
_MAKES = frozenset({"__init__", "__new__"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_INTERFACE = re.compile(r"I[A-Z]")  # C#
_UNIVERSAL = frozenset(
    {"Iterable", "Comparable", "Runnable", "AutoCloseable", "CharSequence", "Appendable", "Readable", "Object"}
)
_TOOLS = frozenset(
    {"Arrays", "Collections", "Collectors", "Executors", "Files", "Objects", "Paths"}
)  # only static methods
_JAVA_INTERFACES = _UNIVERSAL | frozenset(  # of Java's own library, besides java.util.function
    "Callable Closeable Collection Comparator CompletionStage DataInput DataOutput Deque Enumeration EventListener "
    "Executor ExecutorService Externalizable Flushable Future InvocationHandler Iterator List ListIterator Lock Map "
    "NavigableMap NavigableSet ObjectInput ObjectOutput Path Queue RandomAccess ScheduledExecutorService "
    "SequencedCollection SequencedMap Set SortedMap SortedSet Spliterator Temporal TemporalAccessor TemporalAmount "
    "ThreadFactory Type BlockingQueue BlockingDeque ConcurrentMap TransferQueue Entry".split()
)
_GO_PACKAGES = frozenset(
    "archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html "
    "image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync "
    "syscall testing text time unicode unique unsafe weak".split()
)
_GO_INTERFACES = frozenset(  # of Go's own library, by package and name
    "ast.Decl ast.Expr ast.Node ast.Spec ast.Stmt ast.Visitor binary.AppendByteOrder binary.ByteOrder cipher.AEAD cipher.Block "
    "cipher.BlockMode cipher.Stream color.Color color.Model constant.Value context.Context crypto.Decrypter crypto.Signer "
    "crypto.SignerOpts driver.ColumnConverter driver.Conn driver.ConnBeginTx driver.ConnPrepareContext driver.Connector "
    "driver.Driver driver.DriverContext driver.Execer driver.ExecerContext driver.NamedValueChecker driver.Pinger driver.Queryer "
    "driver.QueryerContext driver.Result driver.Rows driver.SessionResetter driver.Stmt driver.StmtExecContext "
    "driver.StmtQueryContext driver.Tx driver.Validator driver.ValueConverter driver.Valuer dwarf.Type elliptic.Curve "
    "encoding.BinaryAppender encoding.BinaryMarshaler encoding.BinaryUnmarshaler encoding.TextAppender encoding.TextMarshaler "
    "encoding.TextUnmarshaler expvar.Var flag.Getter flag.Value flate.Reader flate.Resetter fmt.Formatter fmt.GoStringer "
    "fmt.ScanState fmt.Scanner fmt.State fmt.Stringer fs.DirEntry fs.FS fs.File fs.FileInfo fs.GlobFS fs.ReadDirFS fs.ReadDirFile "
    "fs.ReadFileFS fs.StatFS fs.SubFS gob.GobDecoder gob.GobEncoder hash.Cloner hash.Hash hash.Hash32 hash.Hash64 heap.Interface "
    "http.CloseNotifier http.CookieJar http.File http.FileSystem http.Flusher http.Handler http.Hijacker http.Pusher "
    "http.ResponseWriter http.RoundTripper cookiejar.PublicSuffixList httputil.BufferPool image.Image image.PalettedImage "
    "image.RGBA64Image draw.Drawer draw.Image draw.Quantizer draw.RGBA64Image io.ByteReader io.ByteScanner io.ByteWriter io.Closer "
    "io.ReadCloser io.ReadSeekCloser io.ReadSeeker io.ReadWriteCloser io.ReadWriteSeeker io.ReadWriter io.Reader io.ReaderAt "
    "io.ReaderFrom io.RuneReader io.RuneScanner io.Seeker io.StringWriter io.WriteCloser io.WriteSeeker io.Writer io.WriterAt "
    "io.WriterTo json.Marshaler json.Token json.Unmarshaler multipart.File net.Addr net.Conn net.Error net.Listener net.PacketConn "
    "os.DirEntry os.FileInfo os.Signal parse.Node png.EncoderBufferPool rand.Source rand.Source64 reflect.Type rpc.ClientCodec "
    "rpc.ServerCodec runtime.Error slog.Handler slog.Leveler slog.LogValuer smtp.Auth sort.Interface sql.Result sql.Scanner "
    "sync.Locker syscall.Conn syscall.RawConn testing.TB tls.ClientSessionCache types.Importer types.ImporterFrom types.Object "
    "types.Sizes types.Type xml.Marshaler xml.MarshalerAttr xml.TokenReader xml.Unmarshaler xml.UnmarshalerAttr "
    "zlib.Resetter".split()
)


def methods_above(view: View, method: Symbol) -> Iterator[str]:
    """Yield the methods of that name of types from outside that the method may run for: of a type that its class extends or may
    extend, or in languages with structural typing of an interface that its class may fulfil."""
    if method.kind != "method" or _makes(method) or _STATIC.search(method.signature):
        return
    found = [
        s for s in view.named.get(method.name, ()) if s.external and "." in s.qualified_name and not _is_builtin(s)
    ]
    if not found:
        return
    owners = [edge.source for edge in of_type(view.incoming.get(method.key, []), "DEFINES")]
    language = languages.all_languages().get(method.language)
    structural = language is not None and language.structural
    above = [edge for key in owners for edge in _bases(view, key)]
    bases = {view.symbols[edge.target].qualified_name for edge in above}
    extends = any(edge.type == "EXTENDS" for edge in above)
    for symbol in found:
        owner = symbol.qualified_name.rpartition(".")[0]
        if structural:
            if owner.rpartition(".")[2][:1].isupper() and _may_fulfil(
                view, owners, owner
            ):  # else a function of a package
                yield symbol.key
        elif any(_may_be_above(view, owner, base, method.language) for base in bases) and (
            extends or owner in bases or _has_most(view, owners, owner)
        ):
            yield symbol.key


def _makes(method: Symbol) -> bool:
    """Return whether it makes an object: only its own class, or one below, runs it."""
    language = languages.all_languages().get(method.language)
    return method.name in _MAKES or (language is not None and method.name in language.constructors)


def _is_builtin(symbol: Symbol) -> bool:
    return symbol.key.startswith("ext:<builtin>")


def _bases(view: View, key: str) -> Iterator[CodeEdge]:
    for edge in view.outgoing.get(key, ()):
        if edge.type in ("EXTENDS", "IMPLEMENTS") and view.symbols[edge.target].external:
            yield edge


def _may_fulfil(view: View, classes: list[str], owner: str) -> bool:
    """Go: return whether a type of the tree may stand where a type from outside is used: that is an interface, as far as known,
    and the type of the tree has all of its methods that the tree calls."""
    parts = owner.split(".")
    known = parts[0] in _GO_PACKAGES and len(parts) > 1 and not parts[-2][:1].isupper()  # a type, not a field of one
    if known and ".".join(parts[-2:]) not in _GO_INTERFACES:
        return False
    if f"ext:{owner}" in view.symbols and of_type(view.incoming.get(f"ext:{owner}", []), "CALLS"):
        return False  # `T{}` makes one: no interface
    asked = _called_on(view, owner)
    return any(asked <= _methods(view, key) for key in classes)


def _has_most(view: View, classes: list[str], owner: str) -> bool:
    """Return whether a class that extends nothing from outside has most methods that the tree calls on a type; an interface may
    bring some itself."""
    asked = _called_on(view, owner)
    return any(2 * len(asked & _methods(view, key)) >= len(asked) for key in classes)


def _called_on(view: View, owner: str) -> set[str]:
    start = f"{owner}."
    return {
        name
        for name, symbols in view.named.items()
        if any(s.external and s.qualified_name == f"{start}{name}" for s in symbols)
    }


def _methods(view: View, key: str) -> set[str]:
    """Return the names of the members of a type and of what it embeds."""
    found: set[str] = set()
    rest, seen = [key], set[str]()
    while rest:
        each = rest.pop()
        seen.add(each)
        for edge in view.outgoing.get(each, ()):
            if edge.type == "DEFINES":
                found.add(view.symbols[edge.target].name)
            elif edge.type in ("EXTENDS", "IMPLEMENTS") and edge.target not in seen:
                if view.symbols[edge.target].external:  # it has methods that nobody here knows
                    found |= _called_on(view, view.symbols[edge.target].qualified_name)
                rest.append(edge.target)
    return found


def _may_be_above(view: View, owner: str, base: str, language: str) -> bool:
    """Return whether a type from outside may be a base of another one, `base`, that a class of the tree extends: it is that
    one, or a type of the same package that is never made here, or one whose name says the same (`Map` of `HashMap`)."""
    name, of = owner.rpartition(".")[2], base.rpartition(".")[2]
    if owner == base or name in _UNIVERSAL:
        return True
    if language == "csharp" and not _INTERFACE.match(name):
        return False
    if name in _TOOLS:
        return False
    if _same_words(name, of):
        return True
    if language == "python":
        return owner.partition(".")[0] == base.partition(".")[0]
    if owner.startswith("java.") and name not in _JAVA_INTERFACES and not owner.startswith("java.util.function."):
        return False
    made = f"ext:{owner}" in view.symbols and of_type(view.incoming.get(f"ext:{owner}", []), "CALLS")
    package = owner.rpartition(".")[0]
    return bool(package) and not made and package == base.rpartition(".")[0]


def _same_words(name: str, of: str) -> bool:
    """Return whether a name ends with the same word as another one, and has no others."""
    mine, other = _WORD.findall(name), _WORD.findall(of)
    mine = mine[1:] if mine[:1] == ["I"] else mine
    return bool(mine) and mine == other[-len(mine) :]
