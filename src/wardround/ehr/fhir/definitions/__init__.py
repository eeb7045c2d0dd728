"""The part of the R4 definitions that the record needs, compiled from those of HL7."""
