"""What a rule is, and the parts and questions that findings of all rules share."""
