; PHP: what a file defines.
(namespace_definition name: (_) @package !body)
(namespace_definition name: (_) @name body: (_)) @definition.namespace
(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(enum_case name: (_) @name) @definition.constant
(function_definition name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(property_declaration type: (_)? @type (property_element name: (_) @name) @definition.field)
(const_declaration (const_element . (name) @name) @definition.constant)
(property_promotion_parameter type: (_)? @type name: (_) @name) @definition.parameter_field
(base_clause (_) @base.extends)
(class_interface_clause (_) @base.implements)
(use_declaration (_) @base.extends)
(simple_parameter type: (_)? @type name: (_) @name) @local.parameter
(variadic_parameter type: (_)? @type name: (_) @name) @local.parameter
(assignment_expression left: (variable_name) @name right: (_) @value) @local.variable
(assignment_expression left: (member_access_expression) @left right: (_) @right) @assign
(foreach_statement . (_) @element . [(variable_name) @name (by_ref (variable_name) @name) (pair (_) [(variable_name) @name (by_ref (variable_name) @name)])]) @local.loop
(catch_clause type: (type_list . (_) @type) name: (_) @name) @local.variable
[(anonymous_function) (arrow_function)] @definition.lambda
(return_statement (_) @return)
[(if_statement) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement) (case_statement)
 (catch_clause) (conditional_expression) (match_conditional_expression)
 (binary_expression operator: ["&&" "||" "??"])] @branch
((comment) @doc (#match? @doc "^/[*][*]"))
(attribute) @decorator
