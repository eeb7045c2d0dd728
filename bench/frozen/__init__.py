"""What the program does, recorded before a change and compared after it."""
