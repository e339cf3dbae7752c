; Go: what a file defines. A method belongs to the type of its receiver, in whichever file of the package that stands.
(package_clause (package_identifier) @package)
(function_declaration name: (_) @name) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @target)) name: (_) @name) @definition.method
(type_spec name: (_) @name type: (struct_type)) @definition.struct
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name type: (_) @type) @definition.type
(type_alias name: (_) @name type: (_) @type) @definition.type
(method_elem name: (_) @name) @definition.signature_method
(interface_type (type_elem (_) @base.extends))
(field_declaration name: (_) @name type: (_) @type) @definition.field
(field_declaration !name type: (_) @type @base.embeds)
(const_spec name: (identifier) @name type: (_)? @type) @definition.constant
(var_spec name: (identifier) @name type: (_)? @type value: (expression_list)? @value) @local.variable
(short_var_declaration left: (_) @name right: (_) @value) @local.variable
(range_clause left: (_) @name right: (_) @element) @local.loop
(parameter_declaration name: (identifier) @name type: (_) @type) @local.parameter
(variadic_parameter_declaration name: (identifier) @name type: (_) @listed) @local.parameter
(type_switch_statement alias: (expression_list (identifier) @name)) @local.untyped
(func_literal) @definition.lambda
[(block) (for_statement) (if_statement) (communication_case) (expression_case) (type_case) (default_case)
 (expression_switch_statement)] @scope
(type_parameter_declaration name: (identifier) @name type: (_) @type) @local.typeparameter
[(if_statement) (for_statement) (expression_case) (type_case) (communication_case)
 (binary_expression operator: ["&&" "||"])] @branch
