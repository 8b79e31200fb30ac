"""Tables of one window, each a list of columns and rows: what `tbprof table` prints."""
