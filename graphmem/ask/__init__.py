"""Ask a question in words: `types` says which kind of question it is, `operations` runs what answers it, `answer` puts the
evidence, the command for the rest and the ranked hits together."""
