; gin, echo, chi, fiber: `r.GET("/x", handler)`, also of a group; net/http: `http.HandleFunc("/x", handler)`.
(call_expression function: (selector_expression operand: (_) @router field: (field_identifier) @method)
  arguments: (argument_list . (interpreted_string_literal) @path (_) @handler .)
  (#match? @method "^(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|Any|Get|Post|Put|Delete|Patch|Head|Options|Handle|HandleFunc)$")
  (#match? @path "^.(/|[A-Z]+ /)"))
(short_var_declaration left: (expression_list . (identifier) @made .) right: (expression_list . (call_expression
  function: (selector_expression operand: (_) @router field: (field_identifier) @_f) arguments: (argument_list . (interpreted_string_literal) @base)) .)
  (#eq? @_f "Group"))
