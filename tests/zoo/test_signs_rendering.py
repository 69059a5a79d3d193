"""Pictures of signs: the same for the same numbers, readable, and whole in at least one view."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ascendify.zoo.rendering import plates, signs
from ascendify.zoo.rendering.fonts import FRENCH, SHIPPED, Faces, families, find_faces, split_faces
from ascendify.zoo.rendering.signs import SHAPE, SIDE, SignSettings, View, picture, plan
from ascendify.zoo.sets.fsns import RenderSettings, open_rendered

FACES = signs.sign_faces(find_faces(FRENCH, [SHIPPED]))
SETTINGS = RenderSettings(count=50, test_count=50, fonts=(str(SHIPPED),))
PLAIN = SignSettings(
    occluded=0, narrow=0, missing=0, darkest=1, brightest=1, blur=0, noise=0, jpeg=0
)

SCRIPT = """
import hashlib, sys
from ascendify.zoo.rendering.fonts import SHIPPED
from ascendify.zoo.sets.fsns import RenderSettings, open_rendered
signs = open_rendered(RenderSettings(count=50, test_count=50, fonts=(str(SHIPPED),)), sys.argv[1])
for index in (7, 3, 0):
    print(hashlib.sha256(signs.record(index)).hexdigest())
"""


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def rng(*numbers: int) -> Any:
    return np.random.default_rng(numbers)


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_sign_belongs_to_its_number_in_any_process(split: Any) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, split], capture_output=True, text=True, check=True
    )
    ours = open_rendered(SETTINGS, split)
    assert run.stdout.split() == [hashed(ours.record(index)) for index in (7, 3, 0)]


def test_seeds_splits_and_numbers_give_other_signs() -> None:
    other = open_rendered(RenderSettings(count=50, seed=2, fonts=SETTINGS.fonts), "train")
    pictures = [
        open_rendered(SETTINGS, "train")[0],
        open_rendered(SETTINGS, "train")[1],
        open_rendered(SETTINGS, "test")[0],
        other[0],
    ]
    assert len({hashed(picture["images"].tobytes()) for picture in pictures}) == 4


def test_what_is_requested_first_does_not_matter() -> None:
    signs_ = open_rendered(SETTINGS, "train")
    forth = [hashed(signs_[index]["images"].tobytes()) for index in range(6)]
    back = [hashed(signs_[index]["images"].tobytes()) for index in reversed(range(6))]
    assert forth == back[::-1]


def test_the_fonts_of_the_test_are_unseen() -> None:
    train, test = (open_rendered(SETTINGS, split).faces for split in ("train", "test"))
    assert families(train) and families(test)
    assert not set(families(train)) & set(families(test))


@pytest.mark.parametrize(
    "text",
    [
        "Rue X",
        "Rue de la Taillée",
        "Allée du Maréchal de Lattre de Tassign",
        "Boulevard Wwwwwwwwwwwwwwwwwwwwwwwwwww",
        "Place des Œillets",
        "Rue du 8 Mai 1945",
        "I",
    ],
)
def test_any_text_is_drawn(text: str) -> None:
    for number in range(8):
        drawn = picture(SignSettings(), FACES, text, rng(number))[0]
        assert drawn.shape == SHAPE
        assert drawn.dtype == np.uint8


def test_texts_of_a_sign_show_in_every_view() -> None:
    # the same numbers, another text of the same length: only the letters differ
    for number in range(12):
        one = picture(PLAIN, FACES, "Rue Abcd", rng(number))[0].astype(int)
        other = picture(PLAIN, FACES, "Rue Efgh", rng(number))[0].astype(int)
        changed = np.abs(one - other).max(2)
        for view in range(4):
            assert (changed[:, view * SIDE : (view + 1) * SIDE] > 60).sum() > 40


@pytest.mark.parametrize(
    ("text", "count", "lines"),
    [
        ("RUE X", 1, ["RUE X"]),
        ("RUE DE LA TAILLÉE", 2, ["RUE DE LA", "TAILLÉE"]),
        ("RUE DES FABRIQUES", 3, ["RUE", "DES", "FABRIQUES"]),
        ("Rue de Jonvissac-sur-Orne", 3, ["Rue de", "Jonvissac-", "sur-Orne"]),
        ("Rue Saint-Sylvain", 2, ["Rue Saint-", "Sylvain"]),
    ],
)
def test_texts_are_broken_at_spaces_and_hyphens(text: str, count: int, lines: list[str]) -> None:
    parts = tuple(re.split(r"(?<=[ -])", text))
    assert list(plates.break_lines(parts, count)) == lines


def plans(count: int = 3000) -> list[list[View]]:
    ratios = np.random.default_rng(5).uniform(0.28, 0.7, count)
    return [plan(SignSettings(), ratio, rng(9, i)) for i, ratio in enumerate(ratios)]


def test_nothing_is_hidden_in_all_views() -> None:
    hiding = 0
    for views in plans():
        occlusion = [view.occlusion for view in views]
        hiding += sum(box is not None for box in occlusion)
        left, top = (max(box[side] if box else 2.0 for box in occlusion) for side in (0, 1))
        right, bottom = (min(box[side] if box else -1.0 for box in occlusion) for side in (2, 3))
        assert left >= right or top >= bottom
    assert hiding > 1000


def test_things_before_the_plate_keep_to_their_box() -> None:
    settings = SignSettings(occluded=1, narrow=0, missing=0, blur=0)
    plate = plates.draw_plate(FACES, "Rue des Fabriques", settings.capitals, rng(1))
    scene = signs._Scene.draw(rng(2))
    unit = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    v, u = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    for number in range(40):
        for view in plan(settings, plate.height / plate.width, rng(number)):
            free = dataclasses.replace(view, occlusion=None)
            shown, hiding = (
                np.asarray(signs._view(plate, each, scene, rng(3))).astype(int)
                for each in (free, view)
            )
            changed = np.abs(shown - hiding).max(2) > 0
            if view.occlusion is None:
                assert not changed.any()
                continue
            warp = np.append(signs.homography(view.corners, unit), 1).reshape(3, 3)
            x, y, z = warp @ np.stack([u[changed], v[changed], np.ones(changed.sum())])
            on_plate = (x / z > 0) & (x / z < 1) & (y / z > 0) & (y / z < 1)
            x, y = (x / z)[on_plate], (y / z)[on_plate]
            left, top, right, bottom = view.occlusion
            assert len(x) > 20
            assert left - 0.06 < x.min() and x.max() < right + 0.06
            assert top - 0.06 < y.min() and y.max() < bottom + 0.06


def test_signs_are_usually_as_hard_to_read_as_fsns() -> None:
    usual = SignSettings()
    assert (usual.capitals, usual.occluded) == (0.8, 0.25)
    assert (usual.smallest, usual.largest) == (0.6, 0.95)
    assert (usual.darkest, usual.brightest) == (0.5, 1.3)
    assert usual.narrow > 0
    assert usual.missing > 0


def test_one_view_is_always_clear() -> None:
    settings = SignSettings(occluded=1)
    for number in range(300):
        views = plan(settings, 0.5, rng(number))
        clear = [view for view in views if view.occlusion is None]
        assert len(clear) == 1
        assert max(clear[0].blur) <= 0.5


def test_plates_lie_inside_their_views() -> None:
    for views in plans():
        assert 2 <= len(views) <= 4
        for view in views:
            x, y = np.array(view.corners).T
            assert x.min() >= -1 and x.max() <= view.width + 1
            assert y.min() >= -1 and y.max() <= SIDE + 1
            assert np.ptp(x) > 0.25 * SIDE
            assert min(view.light) >= 0.4 and max(view.light) <= 1.4


@pytest.mark.parametrize(
    ("settings", "columns"),
    [
        pytest.param(SignSettings(narrow=1, missing=0), slice(146, 150), id="narrow"),
        pytest.param(SignSettings(missing=1), slice(450, 600), id="missing"),
    ],
)
def test_noise_fills_what_is_not_seen(settings: SignSettings, columns: slice) -> None:
    for number in range(5):
        drawn = picture(settings, FACES, "Rue Perreyon", rng(number))[0]
        noise = drawn[:, columns].astype(float)
        assert 65 < noise.std() < 82  # even over 0 to 255
        assert abs(np.corrcoef(noise[:-1].ravel(), noise[1:].ravel())[0, 1]) < 0.15


def test_signs_have_no_slanted_letters() -> None:
    names = [face.name for face in split_faces(FACES, "train")]
    assert names and not any("Italic" in name for name in names)
    slanted = Faces(face for face in find_faces(FRENCH, [SHIPPED]) if "Italic" in face.name)
    assert signs.sign_faces(slanted) == slanted
