; ASP.NET: `app.MapGet("/x", handler)`, also of a group; `[HttpGet("{id}")]` on a method, with `[Route("api/[controller]")]` on its class.
(invocation_expression function: (member_access_expression expression: (_) @router name: (identifier) @method)
  arguments: (argument_list . (argument (string_literal) @path) (argument (_) @handler) .)
  (#match? @method "^Map(Get|Post|Put|Delete|Patch)?$"))
(variable_declarator name: (identifier) @made (invocation_expression function: (member_access_expression expression: (_) @router name: (identifier) @_f)
  arguments: (argument_list . (argument (string_literal) @base))) (#eq? @_f "MapGroup"))
(class_declaration (attribute_list (attribute name: (identifier) @_c (attribute_argument_list . (attribute_argument (string_literal) @prefix))))
  name: (_) @class
  body: (declaration_list (method_declaration (attribute_list (attribute name: (identifier) @method
    (attribute_argument_list . (attribute_argument (string_literal) @path))?)) name: (_) @handler))
  (#eq? @_c "Route") (#match? @method "^Http(Get|Post|Put|Delete|Patch|Head|Options)$"))
