"""The numbers that stand in the text of the chapter on links that people use."""
