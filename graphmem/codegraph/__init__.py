"""The code graph: converts a tree of source files to symbols and resolved relations. Does not access the store.

`scan` finds the files, a front end (`python/` or `generic/`) parses each one to `FileFacts` and links all of them,
`build` updates the result after edits; `impact`, `deadcode`, `metrics` and `routes` answer queries over a `CodeGraph`.

Qualified names are dotted and relative to the root. Modules are named after their path without the last suffix. Their
definitions are named by `naming` in languages.toml: "path": module and nesting (`src.app.Class.method`); "folder" (Go):
folder, or at the root the package clause, and nesting (`binding.JSON.Bind`); "package": the declared package or namespace
if there is one, otherwise the path (`org.shop.Cart.add`). An anonymous function is `<lambda1>`, `<lambda2>` ... within
its scope. A test with a title
(`it("adds", ...)`) is named by it, titles of groups before it: `tests.queue.Queue > adds`; what anonymous functions in it do, it
does. A second definition with the same name in a file has `#2` at the end of its key, not of its qualified name.

To add a language: a block in grammars/languages.toml, three files in queries/code/<name>/, the grammar package in
pyproject.toml, a fixture; and a module in generic/imports/ only if its import paths follow other rules than those there.
"""
