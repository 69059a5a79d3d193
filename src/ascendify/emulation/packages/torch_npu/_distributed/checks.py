"""Refuse what HCCL refuses, with torch_npu's error messages and advice.

gloo accepts more than HCCL: without these checks a script would pass here and fail on a real NPU.
Source of the tables: ProcessGroupHCCL.cpp and HCCLUtils.cpp of torch_npu.
"""

import torch
from ascendify_startup import torch_gloo

# dtypes that HCCL can send, with their names in torch_npu's errors
_NAMES = {
    getattr(torch, name): shown
    for name, shown in {
        "uint8": "at::kByte/at::kBool",
        "bool": "at::kByte/at::kBool",
        "int8": "at::kChar",
        "int16": "at::kShort",
        "int32": "at::kInt",
        "int64": "at::kLong",
        "uint16": "at::ScalarType::UInt16",
        "uint32": "at::ScalarType::UInt32",
        "uint64": "at::ScalarType::UInt64",
        "float16": "at::kHalf",
        "float32": "at::kFloat",
        "float64": "at::kDouble",
        "bfloat16": "at::kBFloat16",
        "float8_e4m3fn": "at::ScalarType::Float8_e4m3fn",
        "float8_e5m2": "at::ScalarType::Float8_e5m2",
    }.items()
    if hasattr(torch, name)  # torch 2.1 has only one unsigned type
}
REDUCIBLE = frozenset(
    [
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.bfloat16,
    ]
)
# all_reduce and reduce compute these as int32 and cast back; reduce_scatter does not
WIDENED = frozenset([torch.uint8, torch.bool])
WIDER = {**torch_gloo.WIDER, **dict.fromkeys(WIDENED, torch.int32)}
"""Types that HCCL or gloo does not reduce, and the types that are used instead."""
_BITWISE = {"BAND": "minimum", "BOR": "maximum", "BXOR": "sum modulo 2"}
_PREMULTIPLIED = (torch.float16, torch.float32, torch.bfloat16, torch.float64)
_INSTEAD = {
    "torch.float64": "cast it to float32 first",
    "torch.uint8": "cast it to int32 first",
    "torch.bool": "cast it to int32 first",
    "torch.uint16": "cast it to int32 first",
    "torch.uint32": "cast it to int64 first",
    "torch.uint64": "cast it to int64 first",
}


def check_tensors(what, *lists):
    """Check that every tensor is on the NPU, dense, contiguous and of a type HCCL can send."""
    for tensor in (tensor for some in lists for tensor in some):
        if tensor.device.type != "npu" or tensor.layout is not torch.strided:
            raise RuntimeError(
                "Tensors must be NPU and dense. %s was given a tensor on %s (%s); move it with "
                ".npu() before the call." % (what, tensor.device, tensor.layout)
            )
        if not _is_dense(tensor):
            raise RuntimeError(
                "Tensors must be contiguous. %s was given one of shape %s with strides %s; call "
                ".contiguous() before it." % (what, tuple(tensor.shape), tensor.stride())
            )
        if tensor.dtype not in _NAMES:
            raise RuntimeError(
                "Unsupported data type for HCCL process group: %s was given %s. %s"
                % (what, tensor.dtype, _advice(tensor.dtype))
            )


def _is_dense(tensor):
    return (
        tensor.is_contiguous()
        or (tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last))
        or (tensor.dim() == 5 and tensor.is_contiguous(memory_format=torch.channels_last_3d))
    )


def _advice(dtype):
    if dtype.is_complex:
        return "Send torch.view_as_real(tensor) instead."
    return "%s." % _INSTEAD.get(str(dtype), "cast it to float32 or int32 first").capitalize()


def check_gathered(output, input, size):
    """Check that the output of _allgather_base has the size of the inputs of all ranks."""
    _same_dtype(output, input)
    if output.numel() != input.numel() * size:
        raise RuntimeError(
            "output tensor size must be equal to world_size times input tensor size: the output "
            "has shape %s, the input %s, and the group %d ranks."
            % (tuple(output.shape), tuple(input.shape), size)
        )


def check_scattered(output, input, size):
    """Check that the input of _reduce_scatter_base has the size of an output for every rank."""
    _same_dtype(output, input)
    if input.numel() != output.numel() * size:
        raise RuntimeError(
            "input tensor must be the same size as output size times world size: the input has "
            "shape %s, the output %s, and the group %d ranks."
            % (tuple(input.shape), tuple(output.shape), size)
        )


def _same_dtype(output, input):
    if output.dtype != input.dtype:
        raise RuntimeError(
            "output tensor must have the same type as input tensor: %s and %s."
            % (output.dtype, input.dtype)
        )


def check_reduction(what, operation, some, widens):
    """Check that HCCL has the reduction for the dtype of every tensor."""
    name = operation.name
    if name in _BITWISE:
        raise RuntimeError(
            "Cannot use ReduceOp.%s with HCCL. Use SUM, PRODUCT, MIN or MAX on int32 instead (for "
            "values 0 and 1, %s gives the same)." % (name, _BITWISE[name])
        )
    for tensor in some:
        if name == "PREMUL_SUM" and tensor.dtype not in _PREMULTIPLIED:
            raise RuntimeError(
                "PreMulSum Data type must be half, float, bfloat16 or double; %s was given %s."
                % (what, tensor.dtype)
            )
        if tensor.dtype in REDUCIBLE or (widens and tensor.dtype in WIDENED):
            continue
        raise RuntimeError(
            "HCCL %s: Unsupported data type %s. HCCL reduces int8, int16, int32, int64, float16, "
            "float32 and bfloat16; %s."
            % (
                what,
                _NAMES[tensor.dtype],
                _INSTEAD.get(str(tensor.dtype), "cast it to float32 first"),
            )
        )
    if name == "AVG":
        for tensor in some:
            # torch_npu adds up and divides in place, which torch refuses for integers
            if not tensor.dtype.is_floating_point:
                name = "Int" if tensor.dtype in WIDENED else _NAMES[tensor.dtype][len("at::k") :]
                raise RuntimeError(
                    "result type Float can't be cast to the desired output type %s: "
                    "ReduceOp.AVG of whole numbers; use SUM and divide, or cast to float32." % name
                )
