"""Causes of failed trials: by a program, then by a classifier; and the tables of them."""
