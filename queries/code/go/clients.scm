; net/http: `http.Get(url)`, `client.Post(url, ...)`, `http.NewRequest("GET", url, nil)`.
(call_expression function: (selector_expression operand: (_) @client field: (field_identifier) @method) arguments: (argument_list . [(interpreted_string_literal) (binary_expression)] @path)
  (#match? @method "^(Get|Post|Head|PostForm|Put|Delete|Patch)$"))
(call_expression function: (selector_expression field: (field_identifier) @_f) arguments: (argument_list (_)? . [(interpreted_string_literal) (selector_expression)] @method . [(interpreted_string_literal) (binary_expression) (call_expression)] @path)
  (#match? @_f "^(NewRequest|NewRequestWithContext)$"))
; A path that a variable keeps.
(call_expression function: (selector_expression operand: (_) @client field: (field_identifier) @method) arguments: (argument_list . (identifier) @path)
  (#match? @method "^(Get|Post|Head|PostForm|Put|Delete|Patch)$"))
(call_expression function: (selector_expression operand: (_) @client field: (field_identifier) @_f) arguments: (argument_list (_)? . [(interpreted_string_literal) (selector_expression)] @method . (identifier) @path)
  (#match? @_f "^(NewRequest|NewRequestWithContext)$"))
(short_var_declaration left: (expression_list . (identifier) @variable .) right: (expression_list . [(interpreted_string_literal) (binary_expression) (identifier)] @value .))
(const_spec name: (identifier) @variable value: (expression_list . (interpreted_string_literal) @value .))
