; JavaScript and TypeScript: calls, constructions, and functions or values that are passed on rather than called.
(call_expression) @reference.call
(new_expression constructor: (_) @reference.new)
(arguments [(identifier) (member_expression)] @reference.value)
(variable_declarator value: [(identifier) (member_expression)] @reference.value)
(assignment_expression right: [(identifier) (member_expression)] @reference.value)
(pair value: [(identifier) (member_expression)] @reference.value)
(array [(identifier) (member_expression)] @reference.value)
(return_statement [(identifier) (member_expression)] @reference.value)
(arrow_function body: [(identifier) (member_expression)] @reference.value)
(ternary_expression [(identifier) (member_expression)] @reference.value)
(binary_expression [(identifier) (member_expression)] @reference.value)
(template_substitution [(identifier) (member_expression)] @reference.value)
(spread_element [(identifier) (member_expression)] @reference.value)
(shorthand_property_identifier) @reference.value
(subscript_expression object: (identifier) @reference.value)
(unary_expression argument: (identifier) @reference.value)
(call_expression function: (member_expression object: (identifier) @reference.value))
