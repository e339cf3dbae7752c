; JavaScript and TypeScript: ES modules. CommonJS `require` is a call whose value is the module, so it needs no pattern here.
(import_statement (import_clause (identifier) @import.default) source: (string) @import.source) @import
(import_statement (import_clause (namespace_import (identifier) @import.namespace)) source: (string) @import.source) @import
(import_statement (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name alias: (_)? @import.alias)))
  source: (string) @import.source) @import
(import_statement source: (string) @import.source) @import.side
(export_statement (export_clause (export_specifier name: [(_) "default"] @import.name alias: (_)? @import.alias))
  source: (string)? @import.source) @export.names
(export_statement "*" source: (string) @import.source) @export.star
(export_statement (namespace_export (_) @import.namespace) source: (string) @import.source) @export.star
(export_statement "default" value: (_) @value) @export.default
(export_statement "default" declaration: (_ name: (_) @name)) @export.default
