; PHP: calls, constructions, names of types, constants.
[(function_call_expression) (member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression)] @reference.call
(object_creation_expression . [(name) (qualified_name)] @reference.new)
(named_type [(name) (qualified_name)] @reference.type)
(class_constant_access_expression . [(name) (qualified_name)] @reference.type)
(class_constant_access_expression) @reference.value
(binary_expression operator: "instanceof" right: (_) @reference.type)
(attribute [(name) (qualified_name)] @reference.type)
(argument name: (name) @reference.key)
