"""The prompts of the model that rewords templates, and of the judge that compares wordings."""
