"""Short programs of agents: code that works on given values and leaves an answer."""
