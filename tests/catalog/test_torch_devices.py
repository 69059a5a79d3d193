"""Where PyTorch takes a device."""

from __future__ import annotations

import pytest

from ascendify.catalog import signatures, torch_devices


@pytest.mark.parametrize(
    ("name", "parameter", "place", "expected"),
    [
        pytest.param("torch.device", None, 0, True, id="by place"),
        pytest.param("torch.device", "type", None, True, id="by name"),
        pytest.param("torch.device", None, 1, False, id="another place"),
        pytest.param("torch.load", None, 1, True, id="the second place"),
        pytest.param("torch.amp.custom_fwd", None, 0, False, id="only by name"),
        pytest.param("torch.zeros", "device", None, True, id="a name that always means one"),
        pytest.param("numpy.zeros", "device", None, False, id="of another package"),
        pytest.param("torch.cuda.set_device", None, 0, True, id="a function of torch.cuda"),
        pytest.param("torch.cuda.set_rng_state", None, 1, True, id="its second parameter"),
        pytest.param("torch.cuda.manual_seed", None, 0, False, id="a function without a device"),
        pytest.param("torch.zeros", None, None, False, id="a place nobody sees"),
    ],
)
def test_takes(name: str, parameter: str | None, place: int | None, expected: bool) -> None:
    assert torch_devices.takes(name, parameter, place) is expected


def test_unknown_names_have_no_parameters() -> None:
    assert torch_devices.parameters("torch.zeros") is None


def test_packages() -> None:
    assert torch_devices.is_library("timm.create_model")
    assert torch_devices.is_foreign("cupy.array")
    assert not torch_devices.is_library("cupy.array")


def test_places_are_those_of_the_signatures() -> None:
    for name in ("torch.load", "torch.nn.DataParallel", "torch.autocast"):
        signature = signatures.signature(name)
        assert signature is not None, name
        for parameter, place in (torch_devices.parameters(name) or {}).items():
            assert place is not None and signature.positional[place] == parameter, name
