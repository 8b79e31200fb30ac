"""The flame graph: a step's time by functions, operators, modules or labels that lie in each other."""
