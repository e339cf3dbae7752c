; Java: calls, constructions, names of types, and values that are passed on.
(method_invocation) @reference.call
(explicit_constructor_invocation constructor: (_) @reference.constructor)
(object_creation_expression type: (_) @reference.new)
(method_reference) @reference.value
(annotation name: (_) @reference.type)
(marker_annotation name: (_) @reference.type)
(method_invocation object: (identifier) @reference.value)
(argument_list [(identifier) (field_access)] @reference.value)
(return_statement [(identifier) (field_access)] @reference.value)
(variable_declarator value: [(identifier) (field_access)] @reference.value)
(binary_expression [(identifier) (field_access)] @reference.value)
(assignment_expression right: [(identifier) (field_access)] @reference.value)
(field_access object: (identifier) @reference.value)
(array_access array: (identifier) @reference.value)
(type_identifier) @reference.type
(scoped_type_identifier) @reference.type
