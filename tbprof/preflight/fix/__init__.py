"""`tbprof fix`: edits of the lines that wait, each proved before it is offered."""
