; Java: an import names a class, a static member, or with an asterisk all of a package or class.
(import_declaration [(scoped_identifier) (identifier)] @import.source) @import.path
