"""Simulated people: users, patients, physicians; their verifiers, validators and judges."""
