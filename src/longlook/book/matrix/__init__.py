"""What only the chapter on every server with every client needs."""
