"""Layouts of the hospital: a module or folder for each schema."""
