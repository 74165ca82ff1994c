"""A name means one thing: no two classes of the package share one."""

import ast

from longlook import paths


def test_no_two_classes_share_a_name():
    found = {}
    for file in sorted((paths.ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(f"{file.relative_to(paths.ROOT)}:{node.lineno}")
    assert [(name, *places) for name, places in found.items() if len(places) > 1] == []
