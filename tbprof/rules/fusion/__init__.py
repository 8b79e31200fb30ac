"""Rules about what is written out though the library has it in one op (FUS)."""
