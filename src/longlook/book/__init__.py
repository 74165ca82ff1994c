"""The book: what its chapters call (`page`), its Sphinx extension and its builder."""
