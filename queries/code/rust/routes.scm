; axum: `.route("/x", get(handler))`; actix and rocket: `#[get("/x")] fn handler`.
(call_expression function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @path . (call_expression function: (identifier) @method arguments: (arguments . (_) @handler)))
  (#eq? @_route "route") (#match? @method "^(get|post|put|delete|patch|head|options|any)$"))
((attribute_item (attribute (identifier) @method arguments: (token_tree . (string_literal) @path))) . (function_item name: (_) @handler)
  (#match? @method "^(get|post|put|delete|patch|head|options|route)$"))
