; inherits: ecmascript
; JavaScript: values of fields. JSX: a component that is rendered is called; a lower-case name is an element of the host.
(jsx_opening_element name: (identifier) @reference.element (#not-match? @reference.element "^[a-z]"))
(jsx_opening_element name: (member_expression) @reference.element)
(jsx_self_closing_element name: (identifier) @reference.element (#not-match? @reference.element "^[a-z]"))
(jsx_self_closing_element name: (member_expression) @reference.element)
(jsx_expression [(identifier) (member_expression)] @reference.value)
(field_definition value: [(identifier) (member_expression)] @reference.value)
