; RestTemplate, WebClient, MockMvc: `rest.getForObject("/x", ...)`, `client.get().uri("/x")`, `get("/x")` of tests.
(method_invocation object: (_) @client name: (identifier) @method arguments: (argument_list . [(string_literal) (binary_expression)] @path)
  (#match? @method "^(get|post|put|delete|patch|head)(For(Object|Entity|Location))?$"))
(method_invocation object: (method_invocation name: (identifier) @method) name: (identifier) @_u arguments: (argument_list . [(string_literal) (binary_expression)] @path)
  (#eq? @_u "uri") (#match? @method "^(get|post|put|delete|patch|head)$"))
(method_invocation !object name: (identifier) @method arguments: (argument_list . [(string_literal) (binary_expression)] @path)
  (#match? @method "^(get|post|put|delete|patch|head)$"))
