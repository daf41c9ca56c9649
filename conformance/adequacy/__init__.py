"""How well the vectors test: which mutants they kill, and which clauses they carry out, in Python and in C."""
