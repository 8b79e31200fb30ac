"""What is said of findings, rules and predictions."""
