"""What removing waits can win: of one finding, of the fix plan, of each step."""
