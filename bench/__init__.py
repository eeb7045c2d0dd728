"""What the project promises in figures, measured: `make bench`."""
