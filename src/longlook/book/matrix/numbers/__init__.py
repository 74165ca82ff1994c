"""The numbers that stand in the text of the chapter on every server with every client."""
