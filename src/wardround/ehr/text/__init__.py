"""Reading of clinical English and Chinese: segments, quantities, dates, mentions and cues."""
