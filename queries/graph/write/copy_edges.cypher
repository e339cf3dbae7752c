// Purpose: create many relations of one type between two labels from a table; none of them is there, and all ends are. Parameters: $rows (Arrow: source, target, the properties).
// Template: ${type}, ${columns} (`(name, ...)`, or nothing), ${source}, ${target}.
COPY ${type}${columns} FROM $$rows (from='${source}', to='${target}')
