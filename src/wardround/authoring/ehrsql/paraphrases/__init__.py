"""Paraphrases of question templates by a language model, reviewed by a person.

`template_loop` adds candidates to a review file, `candidates` reads the accepted ones.
"""
