; The names at calls and constructions: where a compiler's index says what is called.
(method_invocation name: (identifier) @name)
(object_creation_expression type: [(type_identifier) @name (generic_type (type_identifier) @name) (scoped_type_identifier (type_identifier) @name .)])
