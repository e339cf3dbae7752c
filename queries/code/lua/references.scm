; Lua: calls, and functions or tables that are passed on.
(function_call) @reference.call
(arguments (identifier) @reference.value)
(arguments (dot_index_expression) @reference.value)
(field value: (identifier) @reference.value)
(expression_list (identifier) @reference.value)
(dot_index_expression table: (identifier) @reference.value)
(method_index_expression table: (identifier) @reference.value)
