"""Remote nodes over SSH: what connects to them, what is put there, and what runs there."""
