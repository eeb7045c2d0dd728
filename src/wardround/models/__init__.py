"""One door to language models: chat, structured output, cost, cache, record and replay."""
