"""Chapters of Halme 2021: its tables beside the re-measured ones, and its claims."""
