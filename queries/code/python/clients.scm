; requests, httpx, aiohttp, test clients: `client.get("/x")`, `client.request("GET", "/x")`.
(call function: (attribute object: (_) @client attribute: (identifier) @method) arguments: (argument_list . [(string) (concatenated_string) (binary_operator)] @path)
  (#match? @method "^(get|post|put|delete|patch|head|options)$"))
(call function: (attribute object: (_) @client attribute: (identifier) @_f) arguments: (argument_list . (string) @method . [(string) (binary_operator)] @path)
  (#match? @_f "^(request|stream|open)$"))
; A path that a variable keeps, the name of a route: `self.client.get(self.url)`, `client.get(reverse("orders"))`.
(call function: (attribute object: (_) @client attribute: (identifier) @method) arguments: (argument_list . [(identifier) (attribute) (call)] @path)
  (#match? @method "^(get|post|put|delete|patch|head|options)$"))
(assignment left: [(identifier) (attribute)] @variable right: [(string) (concatenated_string) (binary_operator) (call) (identifier) (attribute)] @value)
