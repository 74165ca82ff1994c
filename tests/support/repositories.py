"""Git repositories that a test makes for itself."""

import subprocess


def git(root, *arguments):
    """What a git command prints, for an author without a name."""
    command = ["git", "-c", f"safe.directory={root}", "-c", "user.name=x", "-c", "user.email=x", "-C", str(root)]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout.strip()
