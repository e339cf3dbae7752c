; Shell: every command may be a function; so may a word handed to trap.
(command name: (command_name (word))) @reference.call
(command argument: (word) @reference.value)
