; Go: each import makes a whole package visible under its last name or an alias.
(import_spec name: (_)? @import.alias path: (_) @import.source) @import
