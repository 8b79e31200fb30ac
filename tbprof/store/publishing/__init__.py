"""From the spool to the log directory: report, copies, scalars, and what is kept."""
