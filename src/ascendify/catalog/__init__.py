"""What the platform supports and what the frameworks are.

This room owns facts as packaged data: the support verdict of every API, the signatures of TF 1.15,
TF 2, PyTorch and Horovod, the one name of everything that can be imported under several, class
hierarchy and result kinds, what NPUs have in the place of CUDA's names, and the options of an NPU
session. It answers questions about dotted names. It knows nothing of syntax trees, rules or
reports, and imports no framework.
"""

from ascendify.catalog.description import ApiDescription, describe

__all__ = ["ApiDescription", "describe"]
