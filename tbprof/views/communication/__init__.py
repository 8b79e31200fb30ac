"""What a rank says to others: a table of its collectives."""
