; Kotlin: as in Java, and with an alias.
(import (qualified_identifier) @import.source . "as" . (identifier) @import.alias) @import.path
(import (qualified_identifier) @import.source) @import.path
