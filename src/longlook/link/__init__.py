from longlook.link.linkpipe import LinkPipe

LINKS = {LinkPipe.name: LinkPipe}
"""Link drivers by name; a new one is one file in this folder and one entry here."""
