"""Making tasks: a package for each benchmark."""
