"""The numbers of the chapter's sentences: NUMBERS in the module of its name."""
