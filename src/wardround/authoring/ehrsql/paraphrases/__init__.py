"""More wordings of the templates from a language model, for a person to accept or strike.

`template_loop` adds them to a review file, `candidates` reads those that were accepted.
"""
