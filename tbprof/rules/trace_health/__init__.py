"""Rules about the trace itself (TRC): what makes its figures less than they seem."""
