"""Facts about the NPU platform and the frameworks.

This room owns facts as packaged data: the support verdict of every API, the signatures of TF 1.15,
TF 2, PyTorch and Horovod, one canonical name for everything that can be imported under several,
class hierarchy and result types, what to use on an NPU instead of names, packages and variables of
CUDA, and the options of an NPU session. Other rooms look up dotted names here. It knows nothing of
syntax trees, rules or reports, and imports no framework.
"""

from ascendify.catalog.description import ApiDescription, describe

__all__ = ["ApiDescription", "describe"]
