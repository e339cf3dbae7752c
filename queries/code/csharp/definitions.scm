; C#: what a file defines.
(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @package)
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_member_declaration name: (_) @name) @definition.constant
(delegate_declaration name: (_) @name) @definition.type
(method_declaration name: (_) @name) @definition.method
(method_declaration name: (_) @name parameters: (parameter_list . (parameter (modifier) @_this type: (_) @target)) (#eq? @_this "this")) @lends
(constructor_declaration name: (_) @name) @definition.method
(destructor_declaration) @scope
(local_function_statement name: (_) @name) @definition.function
(property_declaration type: (_) @type name: (_) @name) @definition.field
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name (_)? @value) @definition.field))
(record_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @definition.field))
[(class_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @local.member))
 (struct_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @local.member))]
(conversion_operator_declaration "implicit" type: (_) @type @name parameters: (_)) @local.conversion
(conversion_operator_declaration "implicit" parameters: (parameter_list . (parameter type: (_) @type @name))) @local.conversion
(indexer_declaration type: (_) @type "this" @name) @local.indexer
(base_list (_) @base.extends)
(parameter type: (_)? @type name: (_) @name) @local.parameter
(parameter_list type: (array_type type: (_) @listed) name: (identifier) @name @local.rest)
(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @name . (_)? @value) @local.variable))
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @name . (_)? @value) @local.variable))
(local_declaration_statement (variable_declaration (variable_declarator . (tuple_pattern) @name . (_)? @value) @local.variable))
(foreach_statement type: (_) @type left: (_) @name right: (_) @element) @local.loop
(from_clause type: (_)? @type name: (_) @name (_) @element .) @local.loop
(let_clause (identifier) @name (_) @value) @local.variable
(declaration_pattern type: (_) @type name: (_) @name) @local.variable
(recursive_pattern type: (_)? @type name: (_) @name) @local.variable
(argument (declaration_expression type: (implicit_type) name: (_) @name) @given) @local.variable
(declaration_expression type: (_) @type name: (_) @name) @local.variable
(catch_declaration type: (_) @type name: (_) @name) @local.variable
(lambda_expression parameters: (implicit_parameter) @name @local.parameter)
(type_parameter name: (_) @name) @local.typeparameter
[(lambda_expression) (anonymous_method_expression)] @definition.lambda
[(block) (for_statement) (foreach_statement) (switch_section) (catch_clause) (accessor_declaration) (using_statement)] @scope
[(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (switch_section) (catch_clause)
 (conditional_expression) (switch_expression_arm) (binary_expression operator: ["&&" "||" "??"])] @branch
(attribute) @decorator
