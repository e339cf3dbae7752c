; inherits: ecmascript
; TypeScript: names of types.
(type_annotation (type_identifier) @reference.type)
(type_annotation (nested_type_identifier) @reference.type)
(generic_type name: (_) @reference.type)
(type_arguments (type_identifier) @reference.type)
(union_type (type_identifier) @reference.type)
(intersection_type (type_identifier) @reference.type)
(array_type (type_identifier) @reference.type)
(type_alias_declaration value: (type_identifier) @reference.type)
(as_expression (type_identifier) @reference.type)
