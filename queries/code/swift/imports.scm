; Swift: an import names a whole module.
(import_declaration (identifier) @import.source) @import
