; Shell: `source file` and `. file`.
(command name: (command_name (word) @_m) argument: (_) @import.source (#match? @_m "^(source|\\.)$")) @import.include
