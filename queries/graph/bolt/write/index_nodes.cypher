// Purpose: let nodes of one label be found by their id, of which there is one. Template: ${label}.
CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:`${label}`) REQUIRE n.id IS UNIQUE
