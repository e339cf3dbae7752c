; inherits: ecmascript
; TypeScript: names of types, and functions or values that are given to a field, a parameter or another type.
(type_identifier) @reference.type
(nested_type_identifier) @reference.type
(public_field_definition value: [(identifier) (member_expression)] @reference.value)
(required_parameter value: [(identifier) (member_expression)] @reference.value)
[(as_expression . [(identifier) (member_expression)] @reference.value) (satisfies_expression . [(identifier) (member_expression)] @reference.value)
 (non_null_expression [(identifier) (member_expression)] @reference.value)]
(object (pair key: (property_identifier) @reference.key))
(object (shorthand_property_identifier) @reference.key)
