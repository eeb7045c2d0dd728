"""Trains the classifier of clarifying questions; see `train.py`."""
