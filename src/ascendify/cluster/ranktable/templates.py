"""The templates by name, and how to recognise the template of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ascendify.cluster.ranktable import template_1_0, template_1_2, template_2, template_2_0
from ascendify.cluster.ranktable.model import Table
from ascendify.errors import UsageError

TEMPLATES: Mapping[str, type[Table]] = {
    template_1_0.VERSION: template_1_0.Table10,
    template_2.VERSION: template_2.Table2,
    template_1_2.VERSION: template_1_2.Table12,
    template_2_0.VERSION: template_2_0.Table20,
}


def find(name: str) -> type[Table]:
    """Return the template of that name."""
    try:
        return TEMPLATES[name]
    except KeyError:
        known = "1.0, 2 (groups and pods), 1.2 (super pods), 2.0 (Ascend 950)"
        raise UsageError(f"there is no template {name}", f"there is {known}") from None


def of_file(data: Any) -> type[Table] | None:
    """Return the template of a parsed file; None when it has no key of any."""
    if not isinstance(data, dict):
        return None
    if "group_list" in data:
        return template_2.Table2
    if "rank_list" in data:
        return template_2_0.Table20
    if "server_list" in data:
        is_super = data.get("version") == template_1_2.VERSION
        return template_1_2.Table12 if is_super else template_1_0.Table10
    # Without its list, the version still identifies the template.
    version = data.get("version")
    return TEMPLATES.get(version) if isinstance(version, str) else None
