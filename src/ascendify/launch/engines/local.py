"""This machine: one process a device, watched until the last has ended."""

from __future__ import annotations

from ascendify.launch import local
from ascendify.launch.engines import Engine, Order
from ascendify.launch.engines.dry import shown


def _check(order: Order) -> None:
    local.check(order.plan, order.watch)


def _shown(order: Order) -> str:
    return shown(order.plan, order.ranks)


def _run(order: Order) -> local.Finished:
    return local.run(
        order.plan, order.ranks, order.watch, order.stream, order.given, told=order.told
    )


ENGINE = Engine("local", {}, _shown, _run, _check, every_server=False)
