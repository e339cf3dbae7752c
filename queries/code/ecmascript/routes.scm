; Express, Koa, Fastify, Hono: `app.get("/x", handler)`; Fastify's `app.route({method, url, handler})`. Routers are mounted.
(call_expression function: (member_expression object: (_) @router property: (property_identifier) @method)
  arguments: (arguments . [(string) (template_string)] @path (_) @handler .)
  (#match? @method "^(get|post|put|delete|patch|head|options|all)$") (#match? @path "^.[/*]"))
(call_expression function: (member_expression object: (_) @router property: (property_identifier) @_f)
  arguments: (arguments . (object (pair key: (_) @_m value: (string) @method) (pair key: (_) @_u value: (string) @path) [
    (pair key: (_) @_h value: (_) @handler) (method_definition name: (_) @_h) @handler (shorthand_property_identifier) @_h @handler]))
  (#eq? @_f "route") (#eq? @_m "method") (#match? @_u "^(url|path)$") (#eq? @_h "handler"))
(call_expression function: (member_expression object: (_) @router property: (property_identifier) @_f)
  arguments: (arguments . (string) @base (_)? (identifier) @mounted .) (#match? @_f "^(use|route)$") (#match? @base "^./"))
(variable_declarator name: (identifier) @made value: (call_expression function: (member_expression object: (_) @router property: (property_identifier) @_f)
  arguments: (arguments . (string) @base)) (#eq? @_f "basePath"))
(variable_declarator name: (identifier) @made value: (call_expression function: (member_expression object: (new_expression) property: (property_identifier) @_f)
  arguments: (arguments . (string) @base)) (#eq? @_f "basePath"))
