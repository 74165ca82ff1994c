"""The chapter of Baxter and Simmons 2018: its samples beside the re-measured ones, its claims, its causes."""
