"""``ascendify api``: print what is known about one framework API, or about a library."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from ascendify.catalog.description import ApiDescription
    from ascendify.catalog.torch_releases import Release


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Such as tf.nn.dropout, torch.Tensor.cuda or flash_attn."
        ),
    ],
    torch_npu: Annotated[
        Optional[str],
        typer.Option(
            "--torch-npu",
            metavar="VERSION",
            help="Answer for this release of torch_npu, such as 2.7.1.post2.",
            show_default="say how it changed over the releases",
        ),
    ] = None,
) -> None:
    """Say whether NPUs support an API or a library, why, since when, and how it is called."""
    from ascendify.catalog import libraries, torch_releases
    from ascendify.catalog.description import describe_all
    from ascendify.catalog.support import closest
    from ascendify.errors import UsageError

    release = None if torch_npu is None else torch_releases.named(torch_npu)
    known = describe_all(name)
    library = tuple(libraries.facts(name))
    if not known and not library:
        near = closest(name)
        hint = (
            f"did you mean {', '.join(near)}?"
            if near
            else "give a full name: tf.nn.dropout, torch.Tensor.cuda"
        )
        raise UsageError(f"nothing is known about {name}", hint)
    # a verdict on a library as a whole says less than what is known of the library
    for item in known if "." in name or not library else ():
        _print(item, release)
    if library:
        _print_facts(f"{name} (library)", library)


def _print(known: "ApiDescription", release: "Optional[Release]") -> None:
    """Print everything that is known about an API, in one release of TensorFlow."""
    print(f"{known.api} ({known.release})" if known.release else known.api)
    verdict, by_release = list(_facts(known)), list(_releases(known, release))
    first = verdict + by_release if release is None else by_release + verdict
    _print_facts("", (*first, *_shape(known, release)))


def _print_facts(title: str, facts: "tuple[tuple[str, str], ...]") -> None:
    """Print labels and texts below each other, under a title where there is one."""
    if title:
        print(title)
    width = max(len(label) for label, _ in facts)
    for label, text in facts:
        print(f"  {label:{width}}  {text}")


def _facts(known: "ApiDescription") -> Iterator[tuple[str, str]]:
    """Label and text of everything that is known, the verdict first."""
    from ascendify.catalog.support import legend, release

    verdict = known.support
    if verdict is None:
        yield "support", "not listed by the vendor"
    else:
        meanings = legend(verdict.api)
        yield "support", f"{verdict.effective}: {meanings[verdict.effective]}"
        if verdict.vendor != verdict.effective:
            yield "vendor", f"{verdict.vendor}: {meanings[verdict.vendor]}"
        if verdict.note_text:
            yield "note", verdict.note_text
        yield "source", release(verdict.api)
    if known.lacking:
        yield "releases", f"TensorFlow {known.lacking} is without it"
    if known.counterpart:
        yield "on an NPU", known.counterpart
    if known.advice:
        yield "on an NPU", known.advice


def _releases(known: "ApiDescription", release: "Optional[Release]") -> Iterator[tuple[str, str]]:
    """Which releases of torch_npu have a name, or whether the chosen one does."""
    from ascendify.catalog import torch_releases

    name = known.npu_name
    if not name:
        yield from _lines(known, release)
        return
    if release is None:
        yield "releases", torch_releases.presence(name)
        for change in torch_releases.history(name):
            for verb, parameters in (("adds", change.added), ("takes away", change.removed)):
                if parameters:
                    yield "changed", f"{change.releases}: {verb} {', '.join(parameters)}"
        return
    label = f"in {release.version}"
    if release.has(name):
        yield label, f"yes: {release.described}"
        return
    first = torch_releases.first_with(name, release.torch)
    later = "" if first is None else f"; {first.described} has it"
    yield label, f"no: {release.described} is without it{later}"


def _lines(known: "ApiDescription", release: "Optional[Release]") -> Iterator[tuple[str, str]]:
    """Say since which release PyTorch has a name of its own, or whether this release does."""
    from ascendify.catalog import torch_npu_names

    name = known.counterpart or known.api
    since = torch_npu_names.torch_since(name)
    if not since:
        return
    what = name if known.counterpart else "it"
    came = f"PyTorch has {what} since {torch_npu_names.torch_line_words(since)}"
    if release is None:
        yield "releases", came
        return
    answer = {True: "yes", False: "no", None: "not known"}[release.torch_has(name)]
    yield f"in {release.version}", f"{answer}: {came}; {release} is for torch {release.torch}"


def _shape(known: "ApiDescription", release: "Optional[Release]") -> Iterator[tuple[str, str]]:
    """How an API is called and what it is, in the chosen release where there is one."""
    from ascendify.catalog import torch_releases

    own = known.signature_in(release or torch_releases.newest())
    general = known.signature_text
    signature = (own or general) if release is not None else (general or own)
    if signature and (release is None or _is_there(known, release)):
        yield "signature", signature
    for label, names in (("bases", known.bases), ("aliases", known.aliases)):
        if names:
            yield label, ", ".join(names)
    if known.returns and known.returns != known.api:
        yield "returns", known.returns


def _is_there(known: "ApiDescription", release: "Release") -> bool:
    """Whether a release of torch_npu, or its PyTorch, has an API as far as is known."""
    if known.npu_name:
        return bool(release.has(known.npu_name))
    return release.torch_has(known.api) is not False
