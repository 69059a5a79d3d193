"""Options of the device: values that are checked when they are assigned.

Names, defaults and allowed values are those of the catalogue, in ``ascendify_runtime/data``.
"""

from absl import logging
from ascendify_runtime import findings, options

_UNLIKE_SESSIONS = {
    "op_select_implmode": {"values": ["high_precision", "high_performance"]},
    "experimental.multi_branches_config.dynamic_node_type": {"values": ["0"]},
    "experimental.graph_memory_optimize_config.graph_slice": {"values": ["auto"]},
    "topo_sorting_mode": {"values": [0, 1, None]},
    "enable_small_channel": {"default": False, "values": [True, False]},
    "op_compiler_cache_mode": {"default": "enable"},
    "hcom_multi_mode": {"values": None},
}
"""Where TensorFlow 2 allows other values than a session of TensorFlow 1 (adapter, July 2026)."""


class OptionValue:
    """The value of an option; reading an option gives this object, its text is in ``value``."""

    def __init__(self, default, optional):
        self._default = default
        self._optional = optional
        self._chosen = default
        self.place = None
        """The user's line that set it."""

    def __bool__(self):
        return bool(self._chosen)

    @property
    def default(self):
        """The value if the program sets none."""
        return self._default

    @property
    def optional(self):
        """The values it may have; None if they are not checked."""
        return self._optional

    @property
    def chosen(self):
        """The value as the program wrote it."""
        return self._chosen

    @property
    def value(self):
        """The text that the device gets; None if the option is not set."""
        if self._chosen is None:
            return None
        return {"True": "1", "False": "0"}.get(str(self._chosen), str(self._chosen))

    @value.setter
    def value(self, chosen):
        if isinstance(self._optional, (tuple, list)) and chosen not in self._optional:
            if self._default is not None and not isinstance(chosen, type(self._default)):
                raise TypeError(
                    "Expected {}, got {}".format(
                        type(self._default).__name__, type(chosen).__name__
                    )
                )
            raise ValueError("'{}' not in optional list {}".format(chosen, self._optional))
        self._chosen = chosen


class DeprecatedValue(OptionValue):
    """An option that still works, with a warning that names its replacement."""

    def __init__(self, optional, *, replacement):
        super(DeprecatedValue, self).__init__(None, optional)
        self.replacement = replacement


class NpuBaseConfig:
    """A set of options; assigning to a name that does not exist raises an error."""

    def __init__(self):
        self._fixed_attrs = [
            name
            for name, value in self.__dict__.items()
            if isinstance(value, (OptionValue, NpuBaseConfig))
        ]

    def __setattr__(self, key, value):
        known = self.__dict__.get("_fixed_attrs")
        if known is None:
            object.__setattr__(self, key, value)
            return
        if key not in known:
            raise ValueError(
                "{} has no option {}, all options {}".format(type(self).__name__, key, known)
            )
        if self.__dict__.get("_was_read"):
            _record_late(key)
        option = self.__dict__[key]
        if not isinstance(option, OptionValue):
            object.__setattr__(self, key, value)  # a whole set of options, not checked
            return
        option.value = value
        if findings.strict():
            option.place = findings.user_place()

    def as_dict(self):
        """Return the texts of all options that are set, also those of inner sets, by name."""
        texts = {}
        for name in self._fixed_attrs:
            option = self.__dict__[name]
            if not isinstance(option, OptionValue):
                texts.update(option.as_dict())
            elif option.value is not None:
                if isinstance(option, DeprecatedValue):
                    _warn_about(name, option)
                texts[name] = option.value
        return texts

    def mark_as_read(self):
        """Remember that the device has read these options."""
        object.__setattr__(self, "_was_read", True)
        for name in self._fixed_attrs:
            if isinstance(self.__dict__[name], NpuBaseConfig):
                self.__dict__[name].mark_as_read()

    def declare(self, prefix):
        """Make an option of every name that the catalogue has below a prefix."""
        for row in options.table().values():
            path = row.get("global", "")
            name = path[len(prefix) :]
            if path.startswith(prefix) and name and "." not in name:
                setattr(self, name, _option(path, row))

    def chosen(self, prefix=""):
        """Yield path, value and line of every option that the program has set."""
        for name in self._fixed_attrs:
            option = self.__dict__[name]
            if isinstance(option, NpuBaseConfig):
                for item in option.chosen(prefix + name + "."):
                    yield item
            elif isinstance(option, OptionValue) and option.chosen != option.default:
                yield prefix + name, option.chosen, option.place


def _option(path, row):
    row = dict(row, **_UNLIKE_SESSIONS.get(path, {}))
    allowed = row.get("values")
    if allowed is None and row.get("field") == "b" and path not in _UNLIKE_SESSIONS:
        allowed = [True, False]
    if row.get("deprecated"):
        return DeprecatedValue(allowed, replacement=row.get("replacement") or None)
    return OptionValue(row.get("default"), allowed)


def _warn_about(name, option):
    instead = ", use '{}' instead".format(option.replacement) if option.replacement else ""
    logging.warning(
        "Option '%s' is deprecated and will be removed in future version%s", name, instead
    )


def _record_late(key):
    findings.record(
        "EMU-OPEN-2",
        findings.MANUAL,
        "the option {} is set after npu_device.open(), which has read the options".format(key),
        "Set it before npu_device.open().",
    )
