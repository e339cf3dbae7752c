; The names at calls: where a compiler's index says what is called.
(call_expression . [(identifier) @name (navigation_expression (identifier) @name .)])
