"""go test of every tool, on namespaces of its own."""

import pytest

from longlook.stack import gotest

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.quiet, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("tool", gotest.tools(), ids=lambda tool: tool.name)
def test_a_tools_own_tests_pass(tool, capfd):
    assert gotest.run(tool), capfd.readouterr()
