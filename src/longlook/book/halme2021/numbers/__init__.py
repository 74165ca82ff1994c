"""The numbers of the chapters' sentences: one module per chapter (its name with _ for -), NUMBERS in each."""
