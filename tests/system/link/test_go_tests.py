"""go test of every tool; linkpipe's on namespaces of its own, where it measures."""

import pytest

from longlook.stack import gotest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
MEASURES = {"linkpipe": [pytest.mark.root, pytest.mark.netns, pytest.mark.quiet]}
TOOLS = [pytest.param(tool, id=tool.name, marks=MEASURES.get(tool.name, ())) for tool in gotest.tools()]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tools_own_tests_pass(tool, capfd):
    assert gotest.run(tool), capfd.readouterr()
