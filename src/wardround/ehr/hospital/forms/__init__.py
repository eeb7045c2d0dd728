"""The same people as rows of several databases: a module or folder for each form."""
