"""Makes the shipped sessions of PhysAssistBench from plans, a TOML file for each scenario."""
