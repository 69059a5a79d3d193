"""Check NPU options of a session config: names, types, values, and options that exclude others."""

import difflib
import json
import os
import re
import sys

from ascendify_runtime import findings

ENTRY = "NpuOptimizer"
FIELDS = {"b": "a bool", "i": "an int", "s": "bytes"}
_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "options.json")
_table = None


def check(config, place=None):
    """Record what is wrong with the NPU options of a session config, at the lines that set them."""

    def where(key):
        return _line_of(key) or place

    for entry in entries(config):
        parameters = {
            key: (value.WhichOneof("value"), value) for key, value in entry.parameter_map.items()
        }
        typed = {}
        for key, (field, value) in sorted(parameters.items()):
            problem = _field_problem(key, field)
            if problem is not None:
                code, found, todo = problem
                findings.record(code, findings.MANUAL, found, todo, where(key))
            elif not _option(key).get("unread"):
                _check_value(key, _plain(field, value), typed, where)
        _check_rules(typed, where)


def check_global(chosen):
    """Record what is wrong with the options of npu_device.

    ``chosen``: (name in ``global_options()``, value, the user's line) of each option that is set.
    """
    keys = {row["global"]: key for key, row in table().items() if "global" in row}
    typed, places = {}, {}
    for path, value, place in chosen:
        key = keys.get(path)
        if key is not None and not _option(key).get("unread"):
            places[key] = place
            _check_value(key, _as_session_value(key, value), typed, places.get)
    _check_rules(typed, places.get)


def _as_session_value(key, value):
    """Return a value with the type it has in a session: 1 is True for a switch."""
    field = _option(key).get("field")
    if field == "b" and value in (0, 1):
        return bool(value)
    is_number = isinstance(value, bool) or (isinstance(value, str) and value.isdigit())
    return int(value) if field == "i" and is_number else value


def table():
    """Return the options of the platform by their names in a session."""
    return _load()["options"]


def entries(config):
    """Return the NpuOptimizer entries of a session config."""
    if config is None:
        return []
    optimizers = config.graph_options.rewrite_options.custom_optimizers
    return [item for item in optimizers if item.name == ENTRY]


def value(config, key):
    """Return the value of an option for a session; the default if it is not set."""
    found = _option(key).get("default")
    for entry in entries(config):
        if key in entry.parameter_map:
            attribute = entry.parameter_map[key]
            if attribute.WhichOneof("value") == _option(key).get("field"):
                found = _plain(_option(key)["field"], attribute)
    return found


def problem_of(key, chosen):
    """Return a message on what is wrong with a value of an option; None if it is right."""
    option = _option(key)
    if _is_right(option, chosen):
        return None
    hint = ""
    near = _closest(str(chosen), [str(item) for item in option.get("values", ())])
    if near:
        hint = "; did you mean {!r}?".format(near)
    return "{} cannot be {!r}; expected {}{}".format(key, chosen, option["expected"], hint)


def _check_value(key, chosen, typed, where):
    if chosen in ("", None):
        return
    problem = problem_of(key, chosen)
    if problem is None:
        typed[key] = chosen
        return
    todo = "Give {} {}.".format(key, _option(key)["expected"])
    findings.record("EMU-OPT-2", findings.MANUAL, problem, todo, where(key))


def _field_problem(key, field):
    option = _load()["options"].get(key)
    if option is None or "field" not in option:
        return ("EMU-OPT-1",) + _unknown(key, option)
    if field is None or field == option["field"] or option.get("unread"):
        return None
    kind = FIELDS[option["field"]]
    found = "the adapter reads {!r} from .{} ({}), so what is written to .{} does not reach it"
    todo = "Write it to .{}; {} takes {}.".format(option["field"], key, option["expected"])
    return "EMU-OPT-2", found.format(key, option["field"], kind, field), todo


def _unknown(key, option):
    if option is not None:
        home = "NPURunConfig" if "argument" in option else "npu_device.global_options()"
        found = "sessions have no option {!r}; it belongs to {}".format(key, home)
        return found, "Remove it here."
    known = {name: row for name, row in _load()["options"].items() if "field" in row}
    near = _closest(key, known)
    if not near:
        found = "the adapter ignores the unknown option {!r}".format(key)
        return found, "Remove it, or look the option up in the documentation of your release."
    field = known[near]["field"]
    found = "the adapter ignores the unknown option {!r}; did you mean {!r}?".format(key, near)
    todo = 'Write parameter_map["{}"].{} if that is what you mean.'.format(near, field)
    return found, todo


def _check_rules(typed, where):
    chosen = {key: value for key, value in typed.items() if value != _option(key).get("default")}
    for rule in _load()["rules"]:
        violation = _violation(rule, chosen)
        if violation is None:
            continue
        error = rule["severity"] == "error"
        findings.record(
            "EMU-OPT-3",
            findings.MANUAL if error else findings.INFO,
            violation,
            _advice(rule) if error else "",
            where(rule["when"]["option"]),
        )


def _violation(rule, chosen):
    when = rule["when"]
    if when["option"] not in chosen or not _holds(when, chosen):
        return None
    subject = "{}={}".format(when["option"], chosen[when["option"]])
    if rule["needs"]:
        if any(_holds(condition, chosen) for condition in rule["needs"]):
            return None
        needs = " or ".join(_condition_text(condition) for condition in rule["needs"])
        return "{} needs {}: {}".format(subject, needs, rule["why"])
    for condition in rule["forbids"]:
        if condition["option"] in chosen and _holds(condition, chosen):
            rival = "{}={}".format(condition["option"], chosen[condition["option"]])
            return "{} cannot go with {}: {}".format(subject, rival, rule["why"])
    return None


def _holds(condition, chosen):
    key = condition["option"]
    if condition["values"]:
        return chosen.get(key, _option(key).get("default")) in condition["values"]
    return key in chosen and chosen[key] not in condition["other_than"]


def _condition_text(condition):
    if not condition["values"]:
        return condition["option"]
    return "{}={}".format(condition["option"], " or ".join(map(str, condition["values"])))


def _advice(rule):
    subject = rule["when"]["option"]
    if rule["needs"]:
        needs = " or ".join(_condition_text(condition) for condition in rule["needs"])
        return "Set {} as well, or leave {} out.".format(needs, subject)
    rivals = " or ".join(condition["option"] for condition in rule["forbids"])
    return "Keep one of {} and {}.".format(subject, rivals)


def _is_right(option, chosen):
    if option.get("field") == "b":
        return isinstance(chosen, bool)
    if option.get("values") and chosen not in option["values"]:
        return False
    if option.get("field") == "i":
        if not isinstance(chosen, int):
            return False
        low, high = option.get("minimum"), option.get("maximum")
        return (low is None or chosen >= low) and (high is None or chosen <= high)
    text = str(chosen)
    if option.get("pattern") and not re.fullmatch(option["pattern"], text, re.ASCII):
        return False
    return option.get("check") not in _CHECKS or _CHECKS[option["check"]](text)


def _ascending_steps(text):
    ranges = (group.split("-") for group in text.split("|"))
    return all(int(bounds[0]) <= int(bounds[-1]) for bounds in ranges)


def _alphabetical_names(text):
    names = [part.partition(":")[0] for part in text.split(";")]
    return names == sorted(names)


def _is_json_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


_CHECKS = {
    "dump-steps": _ascending_steps,
    "input-shape": _alphabetical_names,
    "json-object": _is_json_object,
}


def _plain(field, attribute):
    found = getattr(attribute, field) if field else None
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else found


def _line_of(key):
    """Return the user's line that sets an option: search its name in the loaded modules."""
    argument = _load()["options"].get(key, {}).get("argument", key).rpartition(".")[2]
    wanted = (
        re.compile(r"parameter_map\W+" + re.escape(key) + r"\W"),
        re.compile(r"(?<![\w.])" + re.escape(argument) + r"\s*=[^=]"),
    )
    lines = list(_user_lines())
    for pattern in wanted:
        for path, number, line in lines:
            if pattern.search(line.partition("#")[0]):
                return os.path.realpath(path), number
    return None


def _user_lines():
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        if not path.endswith(".py") or not findings.is_user_file(path):
            continue
        try:
            with open(path, encoding="utf-8", errors="replace") as stream:
                text = stream.read()
        except OSError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            yield path, number, line


def _closest(word, known):
    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=0.7)
    return folded[near[0]] if near else ""


def _option(key):
    return _load()["options"][key]


def _load():
    global _table
    if _table is None:
        with open(_DATA, encoding="utf-8") as stream:
            _table = json.load(stream)
    return _table
