"""The shipped suite: 40 questions on the record of a synthetic hospital."""
