"""Simulated patients: recorded, scripted from a memory, or spoken by a language model."""
