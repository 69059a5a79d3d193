"""Note batches that are padded to the longest sample, so that every step has another shape."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.nodes import is_literal, keyword_value, last_name
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-TUNE-11",
    title="Pad batches to few lengths",
    why=(
        "A batch that is padded to its longest sample has another shape in almost every step: an "
        "NPU may compile operators for each, and its memory is divided anew. Ports pad to a fixed "
        "length, or to multiples of 64 or 128. Whether the numbers stay the same depends on how "
        "the model treats padding: with masks they do, with batch normalization or a mean over "
        "the length they do not. So it is noted and never rewritten. Source: the ports in the "
        "vendor's ModelZoo, a third of which fix the sizes of their inputs."
    ),
    statuses=(Status.INFO,),
    before="batch = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)",
)
_TODO = "If the model masks what is padded, pad to a multiple of 64 or 128, or to a fixed length"
_COLLATORS = frozenset({"DataCollatorWithPadding", "DataCollatorForTokenClassification",
                        "DataCollatorForSeq2Seq", "DataCollatorForLanguageModeling"})  # fmt: skip
_MULTIPLE = "pad_to_multiple_of"


@RULE.file
def note_padding(file: File) -> Diagnoses:
    """Note where batches are padded to their longest sample, once in a file."""
    by_name = file.module.index.calls_by_name
    calls = [call for name in ("pad_sequence", *_COLLATORS) for call in by_name.get(name, ())]
    if "tokenizer" in file.module.source.text:
        calls += [
            call
            for item in file.module.index.of(ast.keyword)
            if item.arg == "padding" and isinstance(call := parent(item), ast.Call)
        ]
    for call in dict.fromkeys(calls):
        how = _how(file, call)
        if how:
            yield RULE.info(
                file.at(call),
                f"{file.brief(call)} pads to the longest sample of a batch",
                todo=f"{_TODO}: {how}.",
                cause=RULE.code,
            )


def _how(file: File, call: ast.Call) -> str:
    """How to pad to few lengths; empty for calls that do not pad to the longest sample."""
    name = last_name(call.func)
    if name == "pad_sequence" and file.name(call.func) == "torch.nn.utils.rnn.pad_sequence":
        return "append rows of padding to the result"
    if keyword_value(call, _MULTIPLE) is not None:
        return ""
    if name in _COLLATORS and _is_of_transformers(file, call):
        return f"pass {_MULTIPLE}=64"
    padding = keyword_value(call, "padding")
    longest = is_literal(padding, True) or is_literal(padding, "longest")
    if longest and "tokenizer" in file.text(call.func).lower():
        return f'pass {_MULTIPLE}=64, or padding="max_length" with max_length'
    return ""


def _is_of_transformers(file: File, call: ast.Call) -> bool:
    return (file.name(call.func) or "").startswith("transformers.")
