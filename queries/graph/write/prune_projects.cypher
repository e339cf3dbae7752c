// Purpose: projects of which nothing is left go. Parameters: none.
MATCH (p:Project) WHERE NOT EXISTS { MATCH (p)-[]-() } DELETE p
