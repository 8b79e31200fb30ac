"""What is put in place of torch's functions and Python's, so that the program believes in a GPU."""
