; The names at calls: where a compiler's index says what is called.
(call_expression function: [(identifier) @name (selector_expression field: (field_identifier) @name)])
