"""torchair: the graph compiler of Ascend; here graphs run eagerly."""


class _Group:
    """Settings that are stored without effect; a group of settings is made at its first use."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Group()
        object.__setattr__(self, name, made)
        return made


class CompilerConfig(_Group):
    """torchair.CompilerConfig."""


def get_npu_backend(*, compiler_config=None, custom_decompositions=None):
    """Return a backend for torch.compile that runs the graph unchanged."""

    def npu(graph_module, example_inputs=None, **options):
        from . import warn_once

        warn_once("torchair")
        return graph_module.forward

    return npu


def get_compiler(compiler_config=None):
    """Return a compiler for graphs of AOTAutograd that runs them unchanged."""
    return lambda graph_module, example_inputs=None: graph_module.forward
