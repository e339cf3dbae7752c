; The names at calls and constructions: where a compiler's index says what is called.
(invocation_expression function: [(identifier) @name (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)]) (generic_name (identifier) @name)])
(object_creation_expression type: [(identifier) @name (generic_name (identifier) @name) (qualified_name name: (identifier) @name)])
