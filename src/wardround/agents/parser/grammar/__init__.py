"""A grammar of questions about groups of patients, in which each word is used or named.

It covers combinations that no kind of question in the training pairs has: sex, age, outcome,
negation, alternatives, counts. A question is tagged with the items of a closed lexicon and the
values of the database; items are composed into a query; a content word that no part of the query
uses is a refusal.
"""
