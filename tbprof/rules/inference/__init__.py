"""Rules about runs that train nothing (INF)."""
