; gin, echo, chi, fiber: `r.GET("/x", handler)`; net/http: `http.HandleFunc("/x", handler)`.
(call_expression function: (selector_expression field: (field_identifier) @method)
  arguments: (argument_list . (interpreted_string_literal) @path (_) @handler .)
  (#match? @method "^(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|Any|Get|Post|Put|Delete|Patch|Head|Options|Handle|HandleFunc)$")
  (#match? @path "^.(/|[A-Z]+ /)"))
