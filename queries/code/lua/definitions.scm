; Lua: functions, tables of functions, and the table that a module returns.
(function_declaration name: [(identifier) (dot_index_expression) (method_index_expression)] @name) @definition.function
(variable_declaration (assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition) @claims .))) @definition.function
(variable_declaration (assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (table_constructor) @claims .))) @definition.object
(variable_declaration (assignment_statement (variable_list) @name (expression_list) @value)) @local.variable
(assignment_statement (variable_list . name: (dot_index_expression) @left .) (expression_list . value: (_) @right .)) @assign
(field name: (_) @name value: (function_definition) @claims) @definition.method
(field name: (_) @name value: (table_constructor) @claims) @definition.property_object
(field name: (_) @name value: (_) @value) @definition.property
(parameters name: (identifier) @name @local.parameter)
(for_generic_clause (variable_list) @name) @local.untyped
(for_numeric_clause name: (_) @name) @local.untyped
(table_constructor) @definition.object_literal
(function_definition) @definition.lambda
[(do_statement) (while_statement) (for_statement) (if_statement)] @scope
(return_statement (expression_list . (_) @return))
(chunk (return_statement (expression_list . (_) @value))) @export.module
[(if_statement) (elseif_statement) (for_statement) (while_statement) (repeat_statement) (binary_expression ["and" "or"])] @branch
