"""What only the chapter on links that people use needs: its numbers."""
