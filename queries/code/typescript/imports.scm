; inherits: ecmascript
; TypeScript: `import x = require("y")`.
(import_statement (import_require_clause (identifier) @import.default source: (string) @import.source)) @import
