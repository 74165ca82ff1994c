"""What `make test` installs is all that its tests see."""

import shutil

import hidden


def test_what_only_all_of_the_tests_need_is_hidden():
    assert {"nginx", "ffmpeg", "sshd", "nix"} <= hidden.names() and not {"ip", "node", "apache2"} & hidden.names()
    assert [name for name in hidden.names() if shutil.which(name, path=hidden.SEARCH)] == []
