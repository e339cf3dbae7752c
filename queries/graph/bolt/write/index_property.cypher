// Purpose: let nodes of one label be found by a property. Template: ${name}, ${label}, ${property}.
CREATE INDEX ${name} IF NOT EXISTS FOR (n:`${label}`) ON (n.`${property}`)
