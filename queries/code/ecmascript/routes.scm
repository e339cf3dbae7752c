; Express, Koa, Fastify, Hono: `app.get("/x", handler)`; Nest: `@Get("/x") method() {}`.
(call_expression function: (member_expression property: (property_identifier) @method)
  arguments: (arguments . [(string) (template_string)] @path (_) @handler .)
  (#match? @method "^(get|post|put|delete|patch|head|options|all)$") (#match? @path "^.[/*]"))
