"""The import alone: an environment the stand-ins may refuse is reported before they do."""

try:
    import npu_bridge.npu_init  # noqa: F401
except ValueError as error:
    print(error)
