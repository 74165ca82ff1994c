from longlook.testbed.netns import NetnsTestbed

TESTBEDS = {"netns": NetnsTestbed}
"""Testbed drivers by name; a new one is one file in this folder and one entry here."""
