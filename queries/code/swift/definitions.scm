; Swift: what a file defines. All files of a target see each other without imports.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @target) @definition.extension
(protocol_declaration name: (_) @name) @definition.interface
(enum_entry name: (simple_identifier) @name) @definition.constant
(typealias_declaration name: (_) @name value: (_) @type) @definition.type
(function_declaration name: (simple_identifier) @name "->" . name: (_) @returns) @definition.function
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name "->" . name: (_) @returns) @definition.signature_method
(protocol_function_declaration name: (simple_identifier) @name) @definition.signature_method
(init_declaration "init" @name) @definition.method
(inheritance_specifier inherits_from: (_) @base.extends)
(parameter name: (simple_identifier) @name name: (_) @type) @local.parameter
(property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation (_) @type)? value: (_)? @value) @local.variable
(property_declaration name: (pattern . (pattern)) @name value: (_)? @value) @local.variable
(type_parameter . (type_identifier) @name name: (user_type)? @type) @local.typeparameter
(associatedtype_declaration . name: (type_identifier) @name name: (user_type)? @type) @local.typeparameter
(protocol_property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation (_) @type)) @definition.field
(for_statement item: (pattern bound_identifier: (_) @name) collection: (_) @element) @local.loop
[(if_statement bound_identifier: (_) @name . "=" . condition: (_) @value)
 (guard_statement bound_identifier: (_) @name . "=" . condition: (_) @value)
 (while_statement bound_identifier: (_) @name . "=" . condition: (_) @value)] @local.bound
(lambda_parameter . name: (simple_identifier) @name @local.block name: [(user_type) (optional_type) (array_type)]? @type)
(lambda_literal) @definition.lambda
[(statements) (for_statement) (switch_entry) (catch_block) (computed_property)] @scope
[(if_statement) (guard_statement) (for_statement) (while_statement) (repeat_while_statement) (switch_entry) (catch_block)
 (ternary_expression) (conjunction_expression) (disjunction_expression)] @branch
(modifiers (attribute) @decorator)
