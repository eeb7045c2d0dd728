"""An item as published: its folder and files, its task, and the checks of its leaves."""
