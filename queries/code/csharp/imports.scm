; C#: `using` opens a namespace, names an alias, or opens the static members of a class.
(using_directive name: (_) @import.alias (_) @import.source .) @import.path
(using_directive . (_) @import.source .) @import.using
