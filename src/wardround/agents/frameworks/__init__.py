"""Agents of other frameworks that play trials: MCP clients, Inspect, the OpenAI Agents SDK."""
