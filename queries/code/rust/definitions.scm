; Rust: what a file defines. The functions of an impl block belong to its type, wherever that is defined.
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.signature_method
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(enum_variant name: (_) @name) @definition.constant
(trait_item name: (_) @name) @definition.trait
(type_item name: (_) @name type: (_) @type) @definition.type
(associated_type name: (_) @name) @definition.type
(const_item name: (_) @name type: (_) @type) @definition.constant
(static_item name: (_) @name type: (_) @type) @definition.constant
(macro_definition name: (_) @name) @definition.macro
(mod_item name: (_) @name body: (_)) @definition.namespace
(impl_item trait: (_) @base.trait type: (_) @target) @definition.extension
(impl_item type: (_) @target) @definition.extension
(field_declaration name: (_) @name type: (_) @type) @definition.field
(trait_item bounds: (trait_bounds (_) @base.extends))
(parameter pattern: (_) @name type: (_) @type) @local.parameter
(closure_parameters [(identifier) (mut_pattern) (tuple_pattern) (reference_pattern) (ref_pattern)] @name @local.parameter)
(match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern . (_) @name @local.arm))))
(let_declaration pattern: (_) @name type: (_)? @type value: (_)? @value) @local.variable
(let_condition pattern: (_) @name value: (_) @value) @local.variable
(for_expression pattern: (_) @name value: (_) @element) @local.loop
(type_parameter name: (_) @name bounds: (trait_bounds . (_) @type)?) @local.typeparameter
(where_predicate left: (type_identifier) @name bounds: (trait_bounds (function_type) @type)) @local.typeparameter
(struct_item name: (_) @name body: (ordered_field_declaration_list) @local.places)
(enum_variant name: (_) @name body: (ordered_field_declaration_list) @local.places)
(closure_expression) @definition.lambda
[(block) (match_arm) (if_expression) (while_expression) (for_expression)] @scope
[(if_expression) (while_expression) (for_expression) (loop_expression) (match_arm)
 (binary_expression operator: ["&&" "||"])] @branch
(attribute_item (attribute) @decorator)
(inner_attribute_item (attribute) @decorator.inner)
