; The names at calls and constructions: where a compiler's index says what is called.
(function_call_expression function: (name) @name)
(member_call_expression name: (name) @name)
(nullsafe_member_call_expression name: (name) @name)
(scoped_call_expression name: (name) @name)
(object_creation_expression (name) @name)
