"""The papers' own numbers (data/published/<study>/): read here, and nowhere else."""
