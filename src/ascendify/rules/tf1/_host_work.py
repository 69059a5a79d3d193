"""Whether a file uses TensorFlow only to read, decode and write data: work for the host."""

from __future__ import annotations

import re

from ascendify.rules.kit import File
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import root_name

_DEPTH = 3
"""How many imports of the project are followed."""
_HOST = re.compile(
    r"""tf(?:\.(?:
        app|flags|logging|gfile|io|python_io|compat|errors|test|sysconfig|version|VERSION
        |__version__|data|image
        |(?:Interactive)?Session|ConfigProto|GPUOptions|GraphOptions|Graph|get_default_graph
        |reset_default_graph|device|placeholder|constant|cast|shape|reshape|squeeze|expand_dims
        |read_file|write_file|matching_files|decode_\w+|encode_\w+|parse_\w+|serialize_\w+
        |substr|string_\w+|as_string|regex_replace|strings|FixedLenFeature|VarLenFeature
        |FixedLenSequenceFeature|SparseFeature|FixedLengthRecordReader|TFRecordReader
        |WholeFileReader|train\.(?:Example|SequenceExample|Features?|FeatureLists?|BytesList
        |Int64List|FloatList|Coordinator|start_queue_runners|string_input_producer)
        |global_variables_initializer|local_variables_initializer|initialize_all_variables
        |string|bool|u?int(?:8|16|32|64)|float(?:16|32|64)|DType|Tensor|TensorShape
    )(?:\..*)?)?""",
    re.X,
)
"""Names that files use which prepare data and train nothing."""
_DECODING = re.compile(
    r"tf\.(?:(?:image\.|io\.)?(?:decode|encode)_|(?:io\.)?read_file|data\.|parse_)"
)
"""A file counts as data preparation only if it uses one of these."""


def is_host_work(file: File) -> bool:
    """Whether the file, and what it imports, use TensorFlow only to prepare data."""
    names = file.resolver.once(_names, file.module)
    if names is None or not any(_DECODING.match(name) for name in names):
        return False
    return _is_plain(file.resolver, file.module, _DEPTH)


def _is_plain(resolver: Resolver, module: Module, depth: int) -> bool:
    names = resolver.once(_names, module)
    if names is None or depth == 0 or not all(_HOST.fullmatch(name) for name in names):
        return False
    imported = resolver.project.imported(module)
    return all(_is_plain(resolver, other, depth - 1) for other in imported)


def _names(resolver: Resolver, module: Module) -> set[str] | None:
    """TensorFlow's names a file mentions; None when it uses another framework as well."""
    found: set[str] = set()
    for node in module.index.imports:
        for alias in node.names:
            root = (getattr(node, "module", None) or alias.name).partition(".")[0]
            if root in ("keras", "horovod", "tensorlayer", "tflearn", "sonnet"):
                return None
    for reference in module.index.references:
        start = root_name(reference)
        bindings = [] if start is None else backward.bindings(start)
        if start is not None and (not bindings or bindings[0].kind == "import"):
            names, _ = resolver.names(module, reference)
            found.update(name for name in names if name.startswith("tf"))
    return found
