; Spring: `@GetMapping("/x")` on a method, with `@RequestMapping("/base")` on its class or without; JAX-RS: `@Path`.
(class_declaration (modifiers (annotation name: (identifier) @_c arguments: (annotation_argument_list (string_literal) @prefix)))
  body: (class_body (method_declaration (modifiers (annotation name: (identifier) @method
    arguments: (annotation_argument_list [(string_literal) @path (element_value_pair key: (_) @_k value: (string_literal) @path)]) @options)) name: (_) @handler))
  (#match? @_c "^(RequestMapping|Path)$") (#match? @method "^(Get|Post|Put|Delete|Patch|Request)Mapping$|^Path$"))
(class_declaration (modifiers . [(marker_annotation) (annotation !arguments)] .)
  body: (class_body (method_declaration (modifiers (annotation name: (identifier) @method
    arguments: (annotation_argument_list [(string_literal) @path (element_value_pair key: (_) @_k value: (string_literal) @path)]) @options)) name: (_) @handler))
  (#match? @method "^(Get|Post|Put|Delete|Patch|Request)Mapping$|^Path$"))
(class_declaration (modifiers (annotation name: (identifier) @_c arguments: (annotation_argument_list (string_literal) @prefix)))
  body: (class_body (method_declaration (modifiers (marker_annotation name: (identifier) @method)) name: (_) @handler))
  (#match? @_c "^(RequestMapping|Path)$") (#match? @method "^(Get|Post|Put|Delete|Patch)Mapping$|^(GET|POST|PUT|DELETE|PATCH)$"))
