; The names at calls: where a compiler's index says what is called.
(call function: [(identifier) @name (attribute attribute: (identifier) @name)])
