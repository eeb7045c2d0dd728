"""A user's turn: what it says, how it goes on from the last request, and what it leaves unread."""
