"""Making the shipped EHR-ChatQA tasks from definitions and the default hospital."""
