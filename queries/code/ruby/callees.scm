; The names at calls: where a compiler's index says what is called.
(call method: [(identifier) (constant)] @name)
