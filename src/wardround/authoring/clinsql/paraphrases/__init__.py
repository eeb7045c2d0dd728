"""Other wordings of made questions: written by a model, checked, reviewed by a person."""
