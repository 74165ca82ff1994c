"""go vet and go test of every tool; without rights to make namespaces, what needs none."""

import pytest

from longlook.host.userns import has_rights
from longlook.stack import gotest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("tool", gotest.tools(), ids=lambda tool: tool.name)
def test_a_tool_is_vetted_and_its_tests_are_built(tool, capfd):
    assert gotest.run(tool, *(gotest.BUILT if has_rights() else ())), capfd.readouterr()
