"""A fine-tuned sequence-to-sequence model that abstains above an entropy threshold."""
