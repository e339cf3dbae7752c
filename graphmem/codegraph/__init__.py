"""The code graph: from a tree of source files to symbols and resolved relations, pure and without a store.

`scan` finds the files, a front end (`python/` or `generic/`) parses each one to `FileFacts` and links all of them, `build`
keeps the result up to date after edits; `impact`, `deadcode`, `metrics` and `routes` answer questions over a `CodeGraph`.

Qualified names. Dotted and relative to the root. Modules are named after their path without the last suffix. What they
define is named by `naming` in languages.toml: "path": module and nesting (`src.app.Class.method`); "folder" (Go): folder, or
at the root the package clause, and nesting (`binding.JSON.Bind`); "package": the declared package or namespace where there is
one, else the path (`org.shop.Cart.add`). An anonymous function is `<lambda1>`, `<lambda2>` ... within its scope. A second
definition of the same name in a file has `#2` at the end of its key, not of its qualified name.

To add a language: a block in grammars/languages.toml, three files in queries/code/<name>/, a fixture; and a module in
generic/imports/ only where its import paths follow rules that none there knows."""
