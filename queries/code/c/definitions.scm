; C and C++: what a file defines. A declarator is taken apart by graphmem/codegraph/generic/patterns.py.
(function_definition declarator: (_) @declarator) @definition.function
(declaration type: (_) @type declarator: (_) @name) @local.variable
(parameter_declaration type: (_) @type declarator: (_) @name) @local.parameter
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.constant
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] @claims declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_)) @claims declarator: (type_identifier) @name) @definition.enum
(type_definition type: (_) @type declarator: (type_identifier) @name) @definition.type
(type_definition type: (_) @type declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(field_declaration type: (_) @type declarator: (_) @name) @definition.member
(preproc_def name: (_) @name value: (_)? @body) @definition.macro
(preproc_function_def name: (_) @name parameters: (_) @parameters value: (_)? @body) @definition.macro
[(compound_statement) (for_statement) (case_statement)] @scope
[(if_statement) (for_statement) (while_statement) (do_statement) (case_statement) (conditional_expression)
 (binary_expression operator: ["&&" "||"])] @branch
