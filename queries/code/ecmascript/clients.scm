; fetch, axios, ky, got, supertest and the like: `fetch("/x", { method: "POST" })`, `api.get("/x")`.
(call_expression function: (identifier) @_f arguments: (arguments . [(string) (template_string) (binary_expression)] @path (object)? @options) (#match? @_f "^(fetch|axios|request|ky|got|useSWR|useFetch|\\$fetch)$"))
(call_expression function: (member_expression object: (_) @client property: (property_identifier) @method)
  arguments: (arguments . [(string) (template_string) (binary_expression)] @path) (#match? @method "^(get|post|put|delete|patch|head|options)$"))
(call_expression function: (identifier) @_f arguments: (arguments . (object (pair key: (_) @_u value: [(string) (template_string)] @path)) @options)
  (#match? @_f "^(axios|request|fetch)$") (#eq? @_u "url"))
