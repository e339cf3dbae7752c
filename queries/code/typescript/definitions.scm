; inherits: ecmascript
; TypeScript: what it adds to JavaScript. Annotations give types to fields, variables, parameters and results.
(variable_declarator name: (identifier) @name value: [(as_expression . (object) @claims) (satisfies_expression . (object) @claims)
  (satisfies_expression . (as_expression . (object) @claims))]) @definition.object
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name value: (object_type) @claims) @definition.interface
(type_alias_declaration name: (_) @name value: (intersection_type [(type_identifier) (nested_type_identifier) (generic_type) (intersection_type)] @base.extends (object_type) @claims)) @definition.interface
(type_alias_declaration name: (_) @name value: (intersection_type (object_type) @claims [(type_identifier) (nested_type_identifier) (generic_type)] @base.extends)) @definition.interface
(type_alias_declaration name: (_) @name value: (generic_type name: (type_identifier) @_wraps type_arguments: (type_arguments . (object_type) @claims .))
  (#any-of? @_wraps "Readonly" "Partial" "Required")) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @type) @definition.type
(object_type) @definition.object_literal
(enum_declaration name: (_) @name) @definition.enum
(enum_body (property_identifier) @name @definition.constant)
(enum_body (enum_assignment name: (_) @name) @definition.constant)
(internal_module name: (_) @name) @definition.namespace
(module name: (identifier) @name) @definition.namespace
(type_parameter name: (_) @name constraint: (constraint (_) @type)? value: (default_type (_) @value)?) @local.typeparameter
(import_alias (identifier) @name [(identifier) (nested_identifier)] @value) @local.variable
(ambient_declaration) @export
(function_signature name: (_) @name) @definition.signature
(method_signature name: (_) @name) @definition.signature_method
(abstract_method_signature name: (_) @name) @definition.signature_method
(call_signature) @definition.call_signature
(property_signature name: (_) @name type: (_)? @type) @definition.field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)] @claims) @definition.method
(public_field_definition name: (_) @name type: (_)? @type value: (_)? @value) @definition.field
(variable_declarator name: (_) @name type: (_)? @type value: (_)? @value) @local.variable
(required_parameter (accessibility_modifier) pattern: (_) @name type: (_)? @type) @definition.parameter_field
(required_parameter . "readonly" pattern: (_) @name type: (_)? @type) @definition.parameter_field
(optional_parameter (accessibility_modifier) pattern: (_) @name type: (_)? @type) @definition.parameter_field
(optional_parameter . "readonly" pattern: (_) @name type: (_)? @type) @definition.parameter_field
(required_parameter pattern: (_) @name type: (_)? @type value: (_)? @value) @local.parameter
(optional_parameter pattern: (_) @name type: (_)? @type) @local.parameter
(extends_clause value: (_) @base.extends)
(extends_type_clause type: (_) @base.extends)
(implements_clause (_) @base.implements)
