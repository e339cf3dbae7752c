; HTTParty, Faraday, RestClient, tests of Rails: `HTTParty.get("/x")`, `get "/x"` in a test.
(call receiver: (_) @client method: (identifier) @method arguments: (argument_list . (string) @path)
  (#match? @method "^(get|post|put|delete|patch|head)$"))
