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
(assignment_expression left: (member_expression) @reference.write)
(augmented_assignment_expression left: (member_expression) @reference.update)
(update_expression argument: (member_expression) @reference.update)
(augmented_assignment_expression right: (member_expression) @reference.read)
[(parenthesized_expression (member_expression) @reference.read) (unary_expression argument: (member_expression) @reference.read)
 (for_in_statement right: (member_expression) @reference.read) (subscript_expression index: (member_expression) @reference.read)
 (subscript_expression object: (member_expression) @reference.read) (await_expression (member_expression) @reference.read)
 (expression_statement (member_expression) @reference.read)]
[(assignment_pattern right: [(identifier) (member_expression)] @reference.value)
 (object_assignment_pattern right: [(identifier) (member_expression)] @reference.value)]
