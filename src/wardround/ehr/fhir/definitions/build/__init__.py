"""Compiles HL7's R4 definitions to the tables of this package; not needed to run anything."""
