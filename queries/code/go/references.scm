; Go: calls, composite literals, names of types, and functions or values that are passed on.
(call_expression) @reference.call
(type_conversion_expression type: (generic_type)) @reference.call
(argument_list [(identifier) (selector_expression)] @reference.value)
(literal_value (literal_element [(identifier) (selector_expression)] @reference.value))
(keyed_element value: (literal_element [(identifier) (selector_expression)] @reference.value))
(keyed_element key: (literal_element (selector_expression) @reference.value))
(keyed_element key: (literal_element (identifier) @reference.key))
(expression_list [(identifier) (selector_expression)] @reference.value)
(binary_expression [(identifier) (selector_expression)] @reference.value)
(unary_expression operand: [(identifier) (selector_expression)] @reference.value)
(index_expression operand: [(identifier) (selector_expression)] @reference.value)
(selector_expression operand: (identifier) @reference.value)
(range_clause right: [(identifier) (selector_expression)] @reference.value)
(type_identifier) @reference.type
(qualified_type) @reference.type
