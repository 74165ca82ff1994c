"""The numbers that stand in the text of the chapter on the years."""
