; inherits: ecmascript
; TypeScript: names of types.
(type_identifier) @reference.type
(nested_type_identifier) @reference.type
