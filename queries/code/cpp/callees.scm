; The names at calls and constructions: where a compiler's index says what is called.
(call_expression function: [(identifier) @name (field_expression field: (field_identifier) @name) (qualified_identifier name: (identifier) @name)])
(new_expression type: [(type_identifier) @name (qualified_identifier name: (type_identifier) @name)])
