"""The code that a call came from: op, source line, label, module and site."""
