; Flask, FastAPI, Starlette: decorators; Django: path(), re_path() and url() in a list.
(decorated_definition (decorator (call function: (attribute attribute: (identifier) @method)
    arguments: (argument_list . (string) @path) @options)) definition: (_ name: (identifier) @handler)
  (#match? @method "^(route|get|post|put|delete|patch|head|options|websocket|api_route)$"))
(call function: (attribute attribute: (identifier) @method)
  arguments: (argument_list . (string) @path (keyword_argument name: (identifier) @_k value: (_) @handler)) @options
  (#match? @method "^(add_url_rule|add_api_route|add_route)$") (#match? @_k "^(view_func|endpoint)$"))
(call function: (identifier) @method arguments: (argument_list . (string) @path . (_) @handler)
  (#match? @method "^(path|re_path|url)$"))
