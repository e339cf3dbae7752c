; Scala: import clauses are taken apart in graphmem/codegraph/generic/imports/packages.py.
(import_declaration) @import.clause
