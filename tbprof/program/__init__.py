"""Programs that know nothing of tbprof: run as Python would run them, their steps counted by what ends each."""
