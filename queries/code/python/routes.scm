; Flask, FastAPI, Starlette: decorators; Django: path(), re_path() and url() in a list. Routers have prefixes of their own, and
; are mounted under another.
(decorated_definition (decorator (call function: (attribute object: (_) @router attribute: (identifier) @method)
    arguments: (argument_list . (string) @path) @options)) definition: (_ name: (identifier) @handler)
  (#match? @method "^(route|get|post|put|delete|patch|head|options|websocket|api_route)$"))
(call function: (attribute object: (_) @router attribute: (identifier) @method)
  arguments: (argument_list . (_) @path (keyword_argument name: (identifier) @_k value: (_) @handler)) @options
  (#match? @method "^(add_url_rule|add_api_route|add_route)$") (#match? @_k "^(view_func|endpoint)$"))
(call function: (attribute object: (_) @router attribute: (identifier) @method)
  arguments: (argument_list . (_) @path . [(identifier) (attribute) (call) (lambda) (subscript)] @handler) @options
  (#match? @method "^(add_api_route|add_route|add_url_rule|add_websocket_route|add_api_websocket_route)$"))
(call function: (attribute object: (_) @router attribute: (identifier) @method)
  arguments: (argument_list . (_) @path . (string) . (_) @handler) @options
  (#eq? @method "add_url_rule"))
(call function: (identifier) @method arguments: (argument_list . (string) @path . (_) @handler)
  (#match? @method "^(path|re_path|url)$"))
(call function: (identifier) @_f arguments: (argument_list . (string) @base . (call function: (identifier) @_i arguments: (argument_list . (string) @module)))
  (#match? @_f "^(path|re_path|url)$") (#eq? @_i "include"))
(call function: (identifier) @_f arguments: (argument_list . (string) @base . (call function: (identifier) @_i arguments: (argument_list . [
    (identifier) @mounted (tuple . (identifier) @mounted)]))) (#match? @_f "^(path|re_path|url)$") (#eq? @_i "include"))
(assignment left: (identifier) @made right: (call function: (_) @_f arguments: (argument_list (keyword_argument name: (identifier) @_k value: (string) @base)))
  (#match? @_f "(Router|Blueprint|Api|Namespace)$") (#match? @_k "^(prefix|url_prefix)$"))
(call function: (attribute object: (_) @router attribute: (identifier) @_f) arguments: (argument_list . [(identifier) (attribute)] @mounted
    (keyword_argument name: (identifier) @_k value: (string) @base)?)
  (#match? @_f "^(include_router|register_blueprint)$") (#match? @_k "^(prefix|url_prefix)$"))
