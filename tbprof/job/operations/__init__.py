"""A table of the operations of all ranks of a pipelined job, and which of them make its steps long."""
