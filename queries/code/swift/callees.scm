; The names at calls: where a compiler's index says what is called.
(call_expression . [(simple_identifier) @name (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @name))])
