"""Does HTTP/3 pay for a site? Sites loaded over links by name, as a sweep in memory, and the answer as one page."""
