"""Tables of built-in functions and methods: which call their arguments, return elements of their receiver, or store into
it, and their return types."""

from __future__ import annotations

# Functions that call the functions given to them, and whether their result holds what those return.
CALLS_ARGUMENTS = {
    "<builtin>.map": True, "<builtin>.filter": False, "<builtin>.sorted": False, "<builtin>.min": False,
    "<builtin>.max": False, "functools.reduce": True, "itertools.starmap": True, "itertools.takewhile": False,
    "itertools.dropwhile": False, "itertools.filterfalse": False, "itertools.groupby": False,
    "itertools.accumulate": False, "re.sub": False, "re.subn": False, "re.Pattern.sub": False, "re.Pattern.subn": False,
    "<builtin>.list.sort": False,
}  # fmt: skip

# Functions whose result is, or has the elements of, their first argument.
SAME_ELEMENTS = frozenset(
    "<builtin>.sorted <builtin>.reversed <builtin>.list <builtin>.tuple <builtin>.set <builtin>.frozenset <builtin>.iter "
    "itertools.chain itertools.islice itertools.cycle collections.deque copy.copy copy.deepcopy <builtin>.filter "
    "typing.cast random.sample heapq.nlargest heapq.nsmallest".split()
)
ONE_ELEMENT = frozenset(
    "<builtin>.next <builtin>.min <builtin>.max random.choice <builtin>.anext heapq.heappop".split()
)

# Built-in functions that call a special method of their first argument ("__iter__" stands for the whole iteration).
PROTOCOLS = {
    **{
        f"<builtin>.{name}": (f"__{name}__",)
        for name in "len next repr hash bool abs reversed str bytes int float complex round dir format".split()
    },
    **{
        f"<builtin>.{name}": ("__iter__",)
        for name in "iter list tuple set frozenset sorted sum min max any all enumerate dict zip".split()
    },
}

# Constructors of containers outside `<builtin>`.
CONTAINERS = {
    "<builtin>.dict": "dict", "<builtin>.list": "list", "<builtin>.set": "set", "<builtin>.tuple": "tuple",
    "<builtin>.frozenset": "set", "collections.defaultdict": "dict", "collections.OrderedDict": "dict",
    "collections.deque": "list", "collections.Counter": "dict", "weakref.WeakValueDictionary": "dict",
    "weakref.WeakKeyDictionary": "dict",
}  # fmt: skip

# Methods of containers: what flows in (position of the argument) and what comes out.
STORES_ARGUMENT = {"append": 0, "add": 0, "insert": 1, "appendleft": 0, "setdefault": 1}
STORES_ELEMENTS = frozenset(("extend", "update", "union", "extendleft"))
RETURNS_ELEMENT = frozenset(("pop", "get", "setdefault", "popleft", "__getitem__", "popitem"))
RETURNS_SELF = frozenset(("copy", "union", "difference", "intersection", "values", "__iter__"))

# Built-in methods and functions by the type they return.
RETURNS = {
    **{
        f"<builtin>.str.{m}": "str"
        for m in (
            "capitalize casefold center expandtabs format format_map join ljust lower lstrip replace rjust rstrip strip "
            "swapcase title translate upper zfill removeprefix removesuffix"
        ).split()
    },
    **{f"<builtin>.str.{m}": "list" for m in "split rsplit splitlines partition rpartition".split()},
    "<builtin>.str.encode": "bytes",
    "<builtin>.bytes.decode": "str",
    "<builtin>.str.find": "int",
    "<builtin>.str.index": "int",
    "<builtin>.str.count": "int",
    "<builtin>.bytes.split": "list",
    **{f"<builtin>.{f}": f for f in "str int float bool bytes bytearray complex".split()},
    "<builtin>.len": "int",
    "<builtin>.repr": "str",
    "<builtin>.ascii": "str",
    "<builtin>.chr": "str",
    "<builtin>.ord": "int",
    "<builtin>.hash": "int",
    "<builtin>.id": "int",
    "<builtin>.abs": "int",
    "<builtin>.sum": "int",
    "<builtin>.round": "int",
    "<builtin>.isinstance": "bool",
    "<builtin>.issubclass": "bool",
    "<builtin>.callable": "bool",
    "<builtin>.any": "bool",
    "<builtin>.all": "bool",
    "<builtin>.hasattr": "bool",
    "<builtin>.hex": "str",
    "<builtin>.bin": "str",
    "<builtin>.format": "str",
    "<builtin>.input": "str",
    "<builtin>.dir": "list",
    "<builtin>.divmod": "tuple",
    "<builtin>.range": "range",
}

# Outside functions by the class whose instance they return.
MAKES = {
    "re.compile": "re.Pattern", "re.match": "re.Match", "re.search": "re.Match", "re.fullmatch": "re.Match",
    "re.Pattern.match": "re.Match", "re.Pattern.search": "re.Match", "re.Pattern.fullmatch": "re.Match",
    "logging.getLogger": "logging.Logger", "threading.Lock": "threading.Lock", "datetime.datetime.now": "datetime.datetime",
    "datetime.datetime.utcnow": "datetime.datetime", "datetime.datetime": "datetime.datetime", "datetime.date": "datetime.date",
    "datetime.timedelta": "datetime.timedelta", "datetime.date.today": "datetime.date",
    "argparse.ArgumentParser.parse_args": "argparse.Namespace", "sqlite3.connect": "sqlite3.Connection",
    "sqlite3.Connection.cursor": "sqlite3.Cursor", "sqlite3.Connection.execute": "sqlite3.Cursor",
    "subprocess.run": "subprocess.CompletedProcess", "<builtin>.open": "io.TextIOWrapper",
    "io.TextIOWrapper.read": "<builtin>.str", "hashlib.sha256": "hashlib.sha256", "hashlib.md5": "hashlib.md5",
    "json.dumps": "<builtin>.str", "os.getcwd": "<builtin>.str", "os.path.join": "<builtin>.str",
    "os.path.dirname": "<builtin>.str", "os.path.basename": "<builtin>.str", "os.path.abspath": "<builtin>.str",
    "re.Match.group": "<builtin>.str", "re.sub": "<builtin>.str", "re.Pattern.sub": "<builtin>.str",
}  # fmt: skip
