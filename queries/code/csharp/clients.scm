; HttpClient: `client.GetAsync("/x")`, `PostAsJsonAsync`, `GetFromJsonAsync<T>`.
(invocation_expression function: (member_access_expression expression: (_) @client name: [(identifier) @method (generic_name (identifier) @method)])
  arguments: (argument_list . (argument [(string_literal) (interpolated_string_expression) (binary_expression)] @path))
  (#match? @method "^(Get|Post|Put|Delete|Patch|Head)\\w*Async$"))
