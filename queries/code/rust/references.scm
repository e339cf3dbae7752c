; Rust: calls, macros, struct expressions, names of types, and functions or values that are passed on.
(call_expression) @reference.call
(macro_invocation) @reference.macro
(tuple_struct_pattern type: (_) @reference.value)
(arguments [(identifier) (scoped_identifier)] @reference.value)
(arguments (generic_function function: (_) @reference.value))
(field_initializer value: [(identifier) (scoped_identifier)] @reference.value)
(let_declaration value: [(identifier) (scoped_identifier)] @reference.value)
(binary_expression [(identifier) (scoped_identifier)] @reference.value)
(match_pattern [(identifier) (scoped_identifier)] @reference.value)
(reference_expression value: [(identifier) (scoped_identifier)] @reference.value)
(block [(identifier) (scoped_identifier)] @reference.value)
(match_arm value: [(identifier) (scoped_identifier)] @reference.value)
(assignment_expression right: [(identifier) (scoped_identifier)] @reference.value)
(array_expression [(identifier) (scoped_identifier)] @reference.value)
(tuple_expression [(identifier) (scoped_identifier)] @reference.value)
(return_expression [(identifier) (scoped_identifier)] @reference.value)
(closure_expression body: [(identifier) (scoped_identifier)] @reference.value)
(type_cast_expression value: [(identifier) (scoped_identifier)] @reference.value)
(const_item value: [(identifier) (scoped_identifier)] @reference.value)
(static_item value: [(identifier) (scoped_identifier)] @reference.value)
(shorthand_field_initializer (identifier) @reference.value)
(token_tree (identifier) @reference.token . (token_tree))
(type_identifier) @reference.type
(scoped_type_identifier) @reference.type
(field_initializer field: (field_identifier) @reference.key)
(shorthand_field_initializer (identifier) @reference.key)
