// Purpose: persons without a commit or mention left go. Parameters: none.
MATCH (p:Person) WHERE NOT EXISTS { MATCH (p)-[]-() } DELETE p
