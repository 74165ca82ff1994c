"""Statistics and models over tables: Welch's test, percentage difference, the floor, agreement. No I/O."""
