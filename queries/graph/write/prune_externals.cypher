// Purpose: symbols from outside go that no symbol of any indexed tree refers to any more. Parameters: none.
MATCH (s:Symbol) WHERE s.external = true AND NOT EXISTS { MATCH (s)-[:CALLS|:REFERS_TO|:IMPORTS|:EXTENDS|:IMPLEMENTS|:OVERRIDES|:USES|:TESTS|:DEFINES]-(:Symbol) } DETACH DELETE s
