"""tbprof for agents: its commands as tools of the Model Context Protocol."""
