"""What only the chapters on Yu and Benson 2021 need."""
