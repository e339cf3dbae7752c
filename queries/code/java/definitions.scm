; Java: what a file defines.
(package_declaration (_) @package)
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_constant name: (_) @name) @definition.constant
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(compact_constructor_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value) @definition.field)
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value) @definition.field)
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @name) @definition.field))
(object_creation_expression type: (_) @base.extends (class_body)) @definition.anonymous
(superclass (_) @base.extends)
(super_interfaces (type_list (_) @base.implements))
(extends_interfaces (type_list (_) @base.extends))
(formal_parameter type: (_) @type name: (_) @name) @local.parameter
(spread_parameter . (_) @listed (variable_declarator name: (_) @name)) @local.rest
(catch_formal_parameter (catch_type . (_) @type) name: (_) @name) @local.variable
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value) @local.variable)
(resource type: (_) @type name: (_) @name value: (_) @value) @local.variable
(enhanced_for_statement type: (_) @type name: (_) @name value: (_) @element) @local.loop
(instanceof_expression right: (_) @type name: (_) @name) @local.variable
(type_pattern . (_) @type (identifier) @name) @local.variable
(lambda_expression parameters: (identifier) @name @local.parameter)
(lambda_expression parameters: (inferred_parameters (identifier) @name @local.parameter))
(type_parameter . (type_identifier) @name (type_bound . (_) @type)?) @local.typeparameter
(lambda_expression) @definition.lambda
[(block) (constructor_body) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement)
 (switch_block_statement_group) (switch_rule)] @scope
[(if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement) (switch_label) (catch_clause)
 (ternary_expression) (binary_expression operator: ["&&" "||"])] @branch
(modifiers [(marker_annotation) (annotation)] @decorator)
