"""Error codes in logs: which are found, which numbers are none, and what the table promises."""

from __future__ import annotations

import re

import pytest

from ascendify.cluster import codes
from ascendify.cluster._data import table

LINES = [
    ("EI0006: 2024-08-05-18:15:21.270.506 Getting socket times out. Reason: Remote", ["EI0006"]),
    ("[PID: 749] 2025-12-29 Communication_Error_Get_Socket(EI0006): Getting", ["EI0006"]),
    ("EJ0001: Failed to initialize the HCCP process. Maybe the last training", ["EJ0001"]),
    ("EE9999[PID: 818] 2026-08-13-15:31:21.888.208 (EE9999):  The error from", ["EE9999"]),
    ("NPU function error: c10_npu::SetDevice(0), error code is 507033", ["507033"]),
    ("ACL stream synchronize failed, error code:507035", ["507035"]),
    ("wait for compute device to finish failed, runtime result = 507018.[FUNC:", ["507018"]),
    ("launch failed for Slice, errno:361001", ["361001"]),
    ("(PID:468348, Device:0, RankID:2) ERR02200 DIST call hccl api failed.", ["ERR02200"]),
    ("HCCL function error: HcclGetRootInfo(&hcclID), error code is 7", ["HCCL-7"]),
    ("[hccl_communicator.cc:2307] [2717288][InitNic]call trace: hcclRet -> 19", ["HCCL-19"]),
    ("[ERROR] HCCL(1,python3):2025 [x.cc:393] links failed, role is client. ret[9]", ["HCCL-9"]),
    ("[ERROR] HCCL(17381,python):2022 [hccl_impl.cc:10]call trace: ret -> 7", ["HCCL-7"]),
    ("[HcclComm][Init]errNo[0x0000000005000007] hccl initialize failed", ["HCCL-7"]),
    (
        "[AllClientSocketEstab]errNo[0x000000000500000b] rank[1] get socket timeout",
        ["HCCL-11", "socket-timeout"],
    ),
    ("rtKernelLaunch: ACL_ERROR_RT_AICORE_EXCEPTION", ["507015"]),
    ("call returned HCCL_E_TIMEOUT", ["HCCL-9"]),
    # known by their form only
    ("EC0123: tuning failed", ["EC0123"]),
    ("E29999: Inner Error!", ["E29999"]),
    ("function error, error code is 507777", ["507777"]),
    # no codes
    ("step 107002 loss 507015.5", []),
    ("saved model E10001x and AE10001", []),
    ("E12345 is the name of a part", []),
    ("ERR77200 is no module of torch_npu", []),
    ("global step 207001: loss = 0.5 (0.1 sec/step)", []),
    ("error code is 7", []),
    ("the function has ret[9]", []),
    ("errNo[0x0000000003000007] of another module", []),
]


@pytest.mark.parametrize(("line", "expected"), LINES, ids=[line[:40] for line, _ in LINES])
def test_codes_of_a_line(line: str, expected: list[str]) -> None:
    assert [found.code.code for found in codes.explain([line])] == expected


SYMPTOMS = {
    "left-over-training": "Reason: Maybe the last training process is running.",
    "socket-timeout": "[Wait][LinkEstablish]wait socket establish timeout, role[1] rank[12]",
    "notify-timeout": "The wait execution of the Notify register times out.",
    "npu-out-of-memory": "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0;",
    "host-out-of-memory": "Out of memory: Killed process 926997 (python)",
    "port-in-use": "OSError: [Errno 98] Address already in use",
    "port-listen": "listen on ip[192.168.20.160] and specific port[16666] fail. Please check",
    "library-missing": "ImportError: libhccl.so: cannot open shared object file: No such file",
    "undefined-symbol": "libtorch_npu.so: undefined symbol: aclrtGetStreamId",
    "import-npu-bridge": "ModuleNotFoundError: No module named 'npu_bridge'",
    "import-torch-npu": "ModuleNotFoundError: No module named 'torch_npu'",
    "fork-after-init": "RuntimeError: Cannot re-initialize NPU in forked subprocess.",
    "dcmi-failed": "dcmi module initialize failed. ret is -8005",
    "driver-log-level": "DrvMngGetConsoleLogLevel failed. (ret=4)",
    "aicore-exception": "there is an aivec error exception, core id is 11",
    "slow-input": "GetNext error may be caused by slow data processing (bigger than 20s",
    "ecc-error": "rtStreamSynchronize execute failed, reason=[hbm Multi-bit ECC error]",
    "link-error": "rtStreamSynchronize execute failed, reason=[link error]",
    "task-abort": "rtStreamSynchronize execute failed, reason=[device task abort]",
    "master-unreachable": "[c10d] The client socket has timed out after 1800000ms while trying",
    "tls-mismatch": "network segment or the TLS configurations are inconsistent.)",
    "disk-full": "OSError: [Errno 28] No space left on device: 'events.out'",
    "too-many-files": "OSError: [Errno 24] Too many open files",
    "killed": "failed (exitcode: -9) local_rank: 3 (pid: 926997)",
    "bad-rank-table": "The ranktable or rank is invalid,Reason:[x]. Please check",
}


def test_every_symptom_has_an_example_here() -> None:
    named = {entry["code"] for entry in table("error-codes")["codes"] if "pattern" in entry}
    assert named == SYMPTOMS.keys()


@pytest.mark.parametrize("code", SYMPTOMS)
def test_symptoms_are_found_in_any_spelling(code: str) -> None:
    for line in (SYMPTOMS[code], SYMPTOMS[code].upper(), SYMPTOMS[code].lower()):
        assert [found.code.code for found in codes.explain([line])] == [code]


def test_each_code_is_reported_once_with_its_first_line() -> None:
    log = ["start", "EI0002: a", "EI0006: b", "EI0002: c\n"]
    reported = [(each.code.code, each.line_number, each.line) for each in codes.explain(log)]
    assert reported == [("EI0002", 2, "EI0002: a"), ("EI0006", 3, "EI0006: b")]


def test_a_symptom_is_not_reported_beside_the_code_that_says_the_same() -> None:
    log = ["Maybe the last training process is running", "later", "EJ0001: x"]
    assert [each.code.code for each in codes.explain(log)] == ["EJ0001"]


def test_what_follows_from_other_errors_is_marked() -> None:
    found = {each.code.code: each.code.follows for each in codes.explain(["EI0006:", "EI0004:"])}
    assert found == {"EI0006": True, "EI0004": False}


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("ei0006", "EI0006"),
        ("507015", "507015"),
        ("acl_error_rt_aicore_exception", "507015"),
        ("hccl_e_timeout", "HCCL-9"),
        ("ERR00100", "ERR00100"),
        ("port-in-use", "port-in-use"),
        ("EA1234", None),
        ("E2999", None),
        ("ERR12", None),
    ],
)
def test_lookup(word: str, code: str | None) -> None:
    known = codes.lookup(word)
    assert (known.code if known else None) == code


def test_modules_of_torch_npu_are_named() -> None:
    code = codes.lookup("ERR02200")
    assert code is not None
    assert "distributed training" in code.meaning


@pytest.mark.parametrize("code", codes.all_codes(), ids=lambda code: code.code)
def test_every_entry_is_complete(code: codes.Code) -> None:
    for text in (code.title, code.meaning, code.cause, code.check, code.fix):
        assert text.strip() == text != ""
    assert not code.title.endswith(".")
    assert code.source is None or re.search(r"https?://|CANN documentation", code.source)
    assert all(codes.lookup(other) is not None for other in code.like)


def test_most_of_the_table_has_a_public_source() -> None:
    every = codes.all_codes()
    assert len(every) > 200
    assert sum(code.verified for code in every) > 0.9 * len(every)
