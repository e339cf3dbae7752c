; Rails: `get "x", to: "orders#show"`, `resources :orders`, within namespaces and scopes; Sinatra: `get "/x" do`.
(call !receiver method: (identifier) @method arguments: (argument_list . (string) @path (pair key: (hash_key_symbol) @_to value: (string) @handler)) @options
  (#match? @method "^(get|post|put|patch|delete|match|root)$") (#eq? @_to "to"))
(call !receiver method: (identifier) @method arguments: (argument_list . (pair key: (string) @path value: (string) @handler)) @options
  (#match? @method "^(get|post|put|patch|delete|match)$"))
(call !receiver method: (identifier) @method arguments: (argument_list . (string) @handler .) (#eq? @method "root"))
(call !receiver method: (identifier) @many arguments: (argument_list . (simple_symbol) @path) @options (#match? @many "^resources?$"))
(call !receiver method: (identifier) @method arguments: (argument_list . (string) @path .) block: (_) @handler
  (#match? @method "^(get|post|put|patch|delete|options)$"))
(call !receiver method: (identifier) @_f arguments: (argument_list . [(simple_symbol) (string)] @base) block: (_) @inside
  (#match? @_f "^(namespace|scope|resources)$"))
