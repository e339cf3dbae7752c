// Purpose: a fact that names a symbol exactly, by its qualified name or by a name that only one symbol has, is ABOUT it.
// Run after new facts or code were projected. Parameters: none.
MATCH (f:Fact)-[:MENTIONS]->(e:Entity), (s:Symbol) WHERE s.name = e.name AND s.external = false AND s.kind <> 'variable' AND s.kind <> 'parameter' AND size(e.name) > 3
WITH f, e, collect(s) AS found WHERE size(found) = 1
UNWIND found AS s
MERGE (f)-[a:ABOUT]->(s) SET a.confidence = 0.8
