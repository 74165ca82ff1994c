"""What only the chapter on Shreedhar et al. 2022 needs."""
