"""Programs that know nothing of tbprof: run as by Python, with steps counted by what ends each."""
