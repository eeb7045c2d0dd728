"""What went wrong in a trial: causes of failures, and wrong writes."""
