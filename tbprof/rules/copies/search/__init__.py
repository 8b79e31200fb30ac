"""What the rules about copies look for in the facts, and no other rule does."""
