; Kotlin: what a file defines. The grammar gives few fields, so that patterns go by position.
(package_header (qualified_identifier) @package)
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration "class" name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(enum_entry . (identifier) @name) @definition.constant
(type_alias . (identifier) @name (_) @type .) @definition.type
(function_declaration [(user_type) (nullable_type)] @target . "." name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type)] @returns) @definition.method
(function_declaration [(user_type) (nullable_type)] @target . "." name: (identifier) @name) @definition.method
(function_declaration name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type)] @returns) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(class_parameter ["val" "var"] (identifier) @name . (_) @type) @definition.parameter_field
(class_parameter (identifier) @name . (_) @type) @local.classparameter
((parameter_modifiers) @modifiers . (parameter . (identifier) @name . (_) @listed) @local.rest (#match? @modifiers "vararg"))
(parameter . (identifier) @name . (_) @type) @local.parameter
(lambda_parameters (variable_declaration . (identifier) @name . (_)? @type) @local.block)
(property_declaration (variable_declaration . (identifier) @name . [(user_type) (nullable_type)]? @type) "=" . (_) @value) @local.variable
(property_declaration (variable_declaration . (identifier) @name . [(user_type) (nullable_type)] @type)) @local.variable
(property_declaration (variable_declaration . (identifier) @name)) @local.variable
(property_declaration (multi_variable_declaration) @name) @local.variable
(for_statement (variable_declaration . (identifier) @name . (_)? @type) . (_) @element) @local.loop
(catch_block (identifier) @name . (user_type) @type) @local.variable
(type_parameter . (identifier) @name . (user_type)? @type) @local.typeparameter
(delegation_specifier [(constructor_invocation . (user_type) @base.extends) (user_type) @base.extends])
[(lambda_literal) (anonymous_function)] @definition.lambda
[(block) (for_statement) (catch_block) (when_entry)] @scope
[(if_expression) (for_statement) (while_statement) (do_while_statement) (when_entry) (catch_block)
 (binary_expression operator: ["&&" "||" "?:"])] @branch
(annotation) @decorator
