; The names at calls and constructions: where a compiler's index says what is called.
(call_expression function: [(identifier) @name (field_expression field: (identifier) @name)])
(instance_expression [(type_identifier) @name (generic_type (type_identifier) @name)])
