"""What all views are made of: times, steady steps, and the sentences that they ask for."""
