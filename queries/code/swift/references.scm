; Swift: calls (a construction looks like one), names of types, values that are passed on.
(call_expression) @reference.call
(constructor_expression) @reference.call
(type_annotation (user_type) @reference.type)
(parameter (user_type) @reference.type)
(function_declaration (user_type) @reference.type)
(type_arguments (_) @reference.type)
(as_expression type: (_) @reference.type)
(value_argument value: [(simple_identifier) (navigation_expression)] @reference.value)
(navigation_expression target: (simple_identifier) @reference.value)
(assignment result: (simple_identifier) @reference.value)
(property_declaration value: [(simple_identifier) (navigation_expression)] @reference.value)
(array_literal element: [(simple_identifier) (navigation_expression)] @reference.value)
(dictionary_literal value: [(simple_identifier) (navigation_expression)] @reference.value)
(control_transfer_statement result: [(simple_identifier) (navigation_expression)] @reference.value)
(ternary_expression [(simple_identifier) (navigation_expression)] @reference.value)
(statements . [(simple_identifier) (navigation_expression)] @reference.value .)
(value_argument_label (simple_identifier) @reference.key)
