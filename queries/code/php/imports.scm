; PHP: `use` names classes and functions of other namespaces; include and require bring in a file.
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import.source alias: (_)? @import.alias) @import.path)
(namespace_use_declaration (namespace_name) @import.prefix body: (namespace_use_group
  (namespace_use_clause . [(qualified_name) (name)] @import.source alias: (_)? @import.alias) @import.path))
[(include_expression (string) @import.source) (include_once_expression (string) @import.source)
 (require_expression (string) @import.source) (require_once_expression (string) @import.source)] @import.include
