"""The page of modules: a tree with what each part of the program costs, forward and backward."""
