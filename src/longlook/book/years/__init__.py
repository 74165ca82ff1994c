"""What only the chapter on the years needs: one browser from 2018 to 2026, everything else held still."""
