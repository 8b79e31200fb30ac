"""What commands print: a report or an answer for terminals, markdown, code hosts."""
