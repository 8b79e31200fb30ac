"""Programs that know nothing of tbprof: run as Python would run them, their steps told by what ends each."""
