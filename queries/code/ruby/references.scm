; Ruby: calls, also those that are a bare name, and constants.
(call method: (_) @_m) @reference.call
(super) @reference.super
(body_statement (identifier) @reference.bare)
(block_body (identifier) @reference.bare)
(then (identifier) @reference.bare)
(assignment right: (identifier) @reference.bare)
(argument_list (identifier) @reference.bare)
(call receiver: (identifier) @reference.bare)
(if condition: (identifier) @reference.bare)
(return (argument_list (identifier) @reference.bare))
(argument_list [(constant) (scope_resolution)] @reference.value)
(call receiver: [(constant) (scope_resolution)] @reference.type)
(assignment right: [(constant) (scope_resolution)] @reference.value)
