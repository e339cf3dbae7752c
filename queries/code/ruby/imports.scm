; Ruby: requires bring in everything a file defines.
(call !receiver method: (identifier) @_m arguments: (argument_list . (string) @import.source)
  (#match? @_m "^(require|require_relative|load)$")) @import.include
