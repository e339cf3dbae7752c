; Laravel: `Route::get("/x", [OrderController::class, "show"])`, within `Route::prefix("api")->group(...)`; Symfony: `#[Route("/x")]`.
(scoped_call_expression scope: (name) @_r name: (name) @method arguments: (arguments . (argument [(string) (encapsed_string)] @path) (argument (_) @handler))
  (#eq? @_r "Route") (#match? @method "^(get|post|put|patch|delete|options|any)$"))
(scoped_call_expression scope: (name) @_r name: (name) @many arguments: (arguments . (argument [(string) (encapsed_string)] @path) (argument (_) @handler))
  (#eq? @_r "Route") (#match? @many "^(resource|apiResource)$"))
(member_call_expression object: (scoped_call_expression scope: (name) @_r name: (name) @_f arguments: (arguments . (argument [(string) (encapsed_string)] @base)))
  name: (name) @_g arguments: (arguments (argument (_) @inside)) (#eq? @_r "Route") (#eq? @_f "prefix") (#eq? @_g "group"))
(method_declaration attributes: (attribute_list (attribute_group (attribute (name) @method parameters: (arguments . (argument [(string) (encapsed_string)] @path)) @options)))
  name: (_) @handler (#eq? @method "Route"))
