; Shell: functions and variables.
(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @local.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @local.variable))
[(if_statement) (elif_clause) (for_statement) (while_statement) (case_item) (list)] @branch
