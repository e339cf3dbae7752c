; Guzzle, Laravel's client and its tests: `$client->get("/x")`, `Http::post("/x")`, `$client->request("GET", "/x")`.
(member_call_expression object: (_) @client name: (name) @method arguments: (arguments . (argument [(string) (encapsed_string) (binary_expression)] @path))
  (#match? @method "^(get|post|put|delete|patch|head)(Json)?$"))
(member_call_expression object: (_) @client name: (name) @_f arguments: (arguments . (argument (string) @method) . (argument [(string) (encapsed_string) (binary_expression)] @path))
  (#eq? @_f "request"))
(scoped_call_expression scope: (name) @client name: (name) @method arguments: (arguments . (argument [(string) (encapsed_string) (binary_expression)] @path))
  (#eq? @client "Http") (#match? @method "^(get|post|put|delete|patch|head)$"))
