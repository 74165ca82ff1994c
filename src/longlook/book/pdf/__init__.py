"""The whole book as one PDF, printed by the pinned Chromium from the built pages."""
