; axum: `.route("/x", get(handler).post(other))`, `.nest("/api", routes())`; actix and rocket: `#[get("/x")] fn handler`.
(call_expression function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @path . (call_expression function: (identifier) @method arguments: (arguments . (_) @handler)))
  (#eq? @_route "route") (#match? @method "^(get|post|put|delete|patch|head|options|any)$")) @chain
(call_expression function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @path . (call_expression function: (field_expression field: (field_identifier) @method) arguments: (arguments . (_) @handler)))
  (#eq? @_route "route") (#match? @method "^(get|post|put|delete|patch|head|options|any)$")) @chain
(call_expression function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @path . (call_expression function: (field_expression value:
    (call_expression function: (identifier) @method arguments: (arguments . (_) @handler)))))
  (#eq? @_route "route") (#match? @method "^(get|post|put|delete|patch|head|options|any)$")) @chain
(call_expression function: (field_expression field: (field_identifier) @_f) arguments: (arguments . (string_literal) @base . (_) @mounted)
  (#match? @_f "^(nest|nest_service)$")) @chain
((attribute_item (attribute (identifier) @method arguments: (token_tree . (string_literal) @path))) . (function_item name: (_) @handler)
  (#match? @method "^(get|post|put|delete|patch|head|options|route)$"))
