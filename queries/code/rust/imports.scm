; Rust: use trees are taken apart in graphmem/codegraph/generic/imports/rust.py; `mod x;` names a file.
(use_declaration) @import.tree
(mod_item name: (_) @import.module !body) @import.mod
(extern_crate_declaration name: (_) @import.source alias: (_)? @import.alias) @import
