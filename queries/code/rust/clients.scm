; reqwest: `client.get("/x")`, `reqwest::get(format!("{base}/x"))`.
(call_expression function: (field_expression value: (_) @client field: (field_identifier) @method) arguments: (arguments . [(string_literal) (macro_invocation) (reference_expression)] @path)
  (#match? @method "^(get|post|put|delete|patch|head)$"))
(call_expression function: (scoped_identifier path: (identifier) @client name: (identifier) @method) arguments: (arguments . [(string_literal) (macro_invocation) (reference_expression)] @path)
  (#eq? @client "reqwest") (#eq? @method "get"))
