"""Paraphrases of question templates by a language model, reviewed by a person.

`paraphraser` adds candidates to a review file, `candidates` reads the accepted ones.
"""
