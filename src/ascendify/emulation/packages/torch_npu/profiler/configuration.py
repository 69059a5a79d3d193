"""Options of the NPU's profiler, checked and stored without effect."""

import enum
import warnings


class ProfilerActivity(enum.Enum):
    """The activities to record."""

    CPU = "CPU"
    NPU = "NPU"


class ProfilerLevel:
    """The amount of detail to record."""

    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"
    Level_none = "Level_none"


class AiCMetrics:
    """The counters of the cores to read."""

    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"
    AiCoreNone = "ACL_AICORE_NONE"


class ExportType:
    """The format of the results."""

    Text = "text"
    Db = "db"


class HostSystem:
    """The data of the host to record."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


def _values(kind):
    return {value for name, value in vars(kind).items() if not name.startswith("_")}


def supported_activities():
    """The activities that can be recorded."""
    return set(ProfilerActivity)


def supported_profiler_level():
    """The levels."""
    return _values(ProfilerLevel)


def supported_ai_core_metrics():
    """The counters."""
    return _values(AiCMetrics)


def supported_export_type():
    """The formats of the results."""
    return _values(ExportType)


class _ExperimentalConfig:
    """Settings of the NPU's profiler; an unknown value is replaced, with a warning."""

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=AiCMetrics.AiCoreNone,
        l2_cache=False,
        msprof_tx=False,
        data_simplification=True,
        record_op_args=False,
        op_attr=False,
        gc_detect_threshold=None,
        export_type=None,
        host_sys=None,
        mstx=False,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io=False,
        sys_interconnection=False,
    ):
        self._profiler_level = _known(profiler_level, ProfilerLevel, "profiler_level")
        self._aic_metrics = _known(aic_metrics, AiCMetrics, "aic_metrics")
        self._l2_cache = l2_cache
        self._msprof_tx = msprof_tx or mstx
        self._data_simplification = data_simplification
        self.record_op_args = record_op_args
        self._op_attr = op_attr
        self._gc_detect_threshold = gc_detect_threshold
        types = export_type if isinstance(export_type, (list, tuple)) else [export_type]
        self._export_type = [
            _known(one or ExportType.Text, ExportType, "export_type") for one in types
        ]
        self._host_sys = list(host_sys or [])
        self._mstx_domain_include = list(mstx_domain_include or [])
        self._mstx_domain_exclude = list(mstx_domain_exclude or [])
        self._sys_io = sys_io
        self._sys_interconnection = sys_interconnection


_DEFAULTS = {
    ProfilerLevel: ProfilerLevel.Level0,
    AiCMetrics: AiCMetrics.AiCoreNone,
    ExportType: ExportType.Text,
}


def _known(value, kind, name):
    if value in _values(kind):
        return value
    warnings.warn(
        "Invalid parameter %s: %r, reset it to the default value %r."
        % (name, value, _DEFAULTS[kind]),
        stacklevel=3,
    )
    return _DEFAULTS[kind]
