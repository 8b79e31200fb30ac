"""What is to be said first of a window: one case, decided from facts, findings and plan together."""
