; inherits: ecmascript
; JavaScript: fields, parameters and base classes, which TypeScript's grammar writes otherwise.
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @claims) @definition.method
(field_definition property: (_) @name value: (_)? @value) @definition.field
(formal_parameters [(identifier) (object_pattern) (array_pattern) (assignment_pattern) (rest_pattern)] @name @local.parameter)
(class_heritage (_) @base.extends)
(variable_declarator name: (_) @name value: (_)? @value) @local.variable
