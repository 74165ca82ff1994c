"""What the chapters of Muthuraj 2024 alone need: tables of causes, its claims, the numbers of their sentences."""
