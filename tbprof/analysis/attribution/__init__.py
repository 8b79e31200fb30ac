"""Which code a call came from: op, source line, label, module and site."""
