; The names at calls and constructions: where a compiler's index says what is called.
(call_expression function: [(identifier) @name (member_expression property: [(property_identifier) (private_property_identifier)] @name)])
(new_expression constructor: [(identifier) @name (member_expression property: (property_identifier) @name)])
