"""The training loop: the same for every network, on every device, with any number of ranks.

Everything random is a function of the seed, the step and the rank: the order of the samples, what
dropout and augmentation draw. So an interrupted run resumes from the step and the weights of its
last checkpoint with the same results, and no state of a generator is saved.

Every rank runs this loop. The first one logs and saves; all share an evaluation.
"""

from __future__ import annotations

import functools
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ascendify.errors import UsageError
from ascendify.zoo import files, settings, trained_model
from ascendify.zoo.config import Training
from ascendify.zoo.device import TrainingDevice, open_device
from ascendify.zoo.recipe import Data, Split, generator, varies
from ascendify.zoo.runs import TrainingRun, write_json
from ascendify.zoo.training import checkpoints, graphs, optimizers, schedules
from ascendify.zoo.training.averaging import WeightAverage
from ascendify.zoo.training.evaluation import LoadedSamples, evaluate
from ascendify.zoo.training.interruption import Interruption
from ascendify.zoo.training.loading import open_source
from ascendify.zoo.training.logs import Log, PrintLine, ResumePoint, StepTimer, open_log
from ascendify.zoo.training.order import SampleOrder
from ascendify.zoo.training.scaling import LossScaler
from ascendify.zoo.training.steps import Stepper
from ascendify.zoo.training.stopping import EarlyStopping, PlateauStopping

_PARTS = ("model", "ema", "optimizer", "scale", "stopping", "evaluation")
"""Parts of a checkpoint that a run needs to resume, since the first release."""
_DRAWS = 1
"""Separates the random numbers of a step from the order of samples, which has the same seed."""


def train(
    run: TrainingRun, device: str = "auto", print_line: PrintLine | None = None, quiet: bool = False
) -> None:
    """Train a network, from the beginning or from the last checkpoint in the run's folder.

    Args:
        run: What to train.
        device: The device; see ``device.NAMES``.
        print_line: Prints a line of the log.
        quiet: Whether the lines go only to the file, and no progress is shown.

    Raises:
        UsageError: it cannot be trained, or the loss became NaN or infinite.
        StoppedError: a signal ended it; a checkpoint is saved.
    """
    validate(run.recipe.config.train)
    here = open_device(device)
    newest = checkpoints.latest(run.checkpoints)
    state = None if newest is None else checkpoints.load(newest, _PARTS)
    with Interruption() as interruption:
        try:
            trainer = Trainer(run, here, interruption, state)
            if not trainer.complete:
                trainer.open_data()
                here.accelerator.wait_for_everyone()  # none has failed: the folder may change now
                with _open_log_folder(
                    run, here, state, _stop_on_broken_pipe(print_line, interruption), quiet
                ) as log:
                    trainer.train(log)
            elif print_line is not None and here.rank == 0 and not quiet:
                print_line(f"{run.folder} is complete after {trainer.first} steps")
        except torch.OutOfMemoryError as error:
            raise UsageError(
                f"{here.torch} has too little memory: {str(error).partition('.')[0]}",
                "set a lower train.batch, train.precision=bf16 or train.resident=false",
            ) from error
        except OSError as error:
            raise run.file_error(error) from error
        except RuntimeError as error:
            if not interruption.signal:
                here.raise_if_other_rank_failed(error)
                raise
            # the signal stopped the reading processes, or the first rank, which has saved
            hint = "--resume goes on from the last checkpoint, if there is one"
            raise interruption.error("interrupted", hint) from error
    here.finish()


def validate(config: Training) -> None:
    """Refuse settings that contradict each other, before anything is written.

    Raises:
        UsageError: two settings contradict each other.
    """
    schedules.validate(config.schedule, config.steps)
    optimizers.validate(config.optimizer)
    graphs.validate(config)


@contextmanager
def _open_log_folder(
    run: TrainingRun,
    device: TrainingDevice,
    state: Mapping[str, Any] | None,
    print_line: PrintLine | None,
    quiet: bool,
) -> Iterator[Log]:
    """Lock the run's folder, save the settings and open the log; only on the first rank."""
    if device.rank > 0:
        yield Log(())
        return
    run.folder.mkdir(parents=True, exist_ok=True)
    with files.lock_folder(run.folder, "wait until it is done, or name another --out"):
        run.save()
        resume_point = ResumePoint.of(state)
        with open_log(
            run.folder, resume_point, None if quiet else print_line, bar=not quiet
        ) as log:
            yield log


def _stop_on_broken_pipe(
    print_line: PrintLine | None, interruption: Interruption
) -> PrintLine | None:
    """Save and stop the run when the reader of its output closes the pipe, as ``head`` does."""
    if print_line is None:
        return None

    def print_or_stop(line: str) -> None:
        try:
            print_line(line)
        except BrokenPipeError:
            interruption.request_stop(signal.SIGPIPE)

    return print_or_stop


class Trainer:
    """The state of a run during training."""

    def __init__(
        self,
        run: TrainingRun,
        device: TrainingDevice,
        interruption: Interruption,
        state: Mapping[str, Any] | None,
    ) -> None:
        self.run = run
        self.device = device
        self.log = Log(())
        self.interruption = interruption
        self.recipe = run.recipe
        self.config: Training = self.recipe.config.train
        self.first = 0 if state is None else int(state["step"])
        """Steps done before this process started."""
        self.step = self.first
        self.began = time.monotonic()
        torch.manual_seed(self.config.seed)
        self.model = self.recipe.model().to(device.torch)
        if self.config.channels_last:
            self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if state is None:
            self.recipe.warm_start(self.model)
        else:
            trained_model.restore(self.model, state["model"], self.run.checkpoints)
        # before anything refers to its buffers: with several ranks they are replaced
        prepared = device.accelerator.prepare_model(self.model)
        decay = self.config.ema
        self.average = None if decay is None else WeightAverage(self.model, decay)
        self.optimizer = optimizers.build(
            self.config.optimizer, self.recipe.groups(self.model), capturable=self.config.graph
        )
        self.scaler = LossScaler(self.config.loss_scale, device.torch)
        self.stopping = EarlyStopping(self.config.patience)
        plateau = self.config.plateau
        self.plateau = None if plateau is None else PlateauStopping(plateau)
        self.last: Mapping[str, float] = {}
        """Metrics of the last evaluation."""
        self.loss = float("nan")
        if state is not None:
            self._restore(state)
        if self.config.compile:
            self.recipe.compile(self.model)
        self.stepper = Stepper(
            self.recipe,
            prepared,
            self.optimizer,
            self.scaler,
            self.average,
            device,
        )
        self.pace = StepTimer(self.config.batch * device.world)
        self.data: dict[Split, Data] = {}

    # --- the loop

    @property
    def complete(self) -> bool:
        """Whether all steps are done, or an early-stopping rule applies."""
        flat = self.plateau is not None and self.plateau.stop
        return self.step >= self.config.steps or self.stopping.stop or flat

    def open_data(self) -> None:
        """Open the samples before anything is written, so that an error leaves the run unchanged.

        Raises:
            UsageError: they cannot be read, or are too few.
        """
        splits: tuple[Split, ...] = ("train", "test")
        self.data = {split: self.recipe.data(split, self.run.source) for split in splits}
        self.order = SampleOrder(
            len(self.data["train"]),
            self.config.batch,
            self.config.seed,
            self.device.rank,
            self.device.world,
        )

    def train(self, log: Log) -> None:
        """Train to the last step, or until an early-stopping rule applies."""
        self.log, config = log, self.config
        if config.graph and not graphs.is_supported(self.device):
            where = f"{self.device.world} x {self.device.name}"
            self.log.line(f"train.graph is not used: it is for one GPU, and this is {where}")
        notes = [note for data in self.data.values() for note in getattr(data, "notes", ())]
        for note in dict.fromkeys(notes):
            self.log.line(note)
        samples, test = self._samples("train"), self._samples("test")
        steps = range(self.first, config.steps)
        wanted = self.order.numbers if varies(self.data["train"]) else self.order.indices
        batches = samples.source.batches(wanted(step) for step in steps)
        self.model.train()
        self.pace.begin(self.first)
        for step, batch in zip(steps, batches):
            draws = generator(config.seed, _DRAWS, step, self.device.rank)
            torch.manual_seed(draws.initial_seed())
            lr = schedules.rate(config.schedule, config.optimizer.lr, step, config.steps)
            values = self.stepper(batch, lr)
            self.step = step + 1
            if self.plateau is not None:
                self.plateau.update(self._means(values)["loss"])
            self.log.advance(self.step, config.steps, "training")
            logged = self._due(config.log_every)
            if logged:
                self._log_step(lr, values)
            better = self._due(config.evaluate_every) and self._evaluate(test)
            if self.stopping.stop and not logged:
                self._log_step(lr, values)
            if better or self._due(config.save_every):
                self._save(better)
            if self.complete:
                break
            if self.interruption.signal and self.device.rank == 0:
                self._interrupt()
        self._finish()

    def _due(self, every: int) -> bool:
        """Whether a periodic action is due after this step; all are due after the last."""
        return self.complete or (every > 0 and self.step % every == 0)

    def _samples(self, split: Split) -> LoadedSamples:
        """Open the samples of a split for reading in batches."""
        config = self.config
        data = self.data[split]
        steps = config.steps - self.first
        seen = {
            "train": steps * config.batch * self.device.world,
            "test": len(data) * (1 + steps // (config.evaluate_every or config.steps + 1)),
        }
        source = open_source(
            data,
            self.device,
            config.resident,
            config.workers,
            seen=seen[split],
            advance=functools.partial(self._report_reading, split),
        )
        return LoadedSamples(len(data), source)

    def _report_reading(self, split: Split, done: int, size: int) -> None:
        self.log.advance(done, size, f"reading {split} samples")
        if self.interruption.signal:
            raise self.interruption.error("interrupted while samples were read", "")

    def _log_step(self, lr: float, values: Mapping[str, Tensor]) -> None:
        """Log a step: the values of its loss, as means over the ranks, and the speed."""
        self._check_losses()
        means = {**self._means(values), "epoch": self._epoch}
        progress = self.pace.progress(self.step, lr, means)
        self.loss = progress.loss
        self.log.line(self.recipe.training_line(progress))
        speed = {
            "samples_per_second": progress.samples_per_second,
            "seconds_per_step": progress.seconds_per_step,
        }
        self.log.record("train", self.step, {**means, "lr": lr, **speed})

    @property
    def _epoch(self) -> float:
        """How often all samples were seen."""
        return self.step * self.order.whole / self.order.size

    def _means(self, values: Mapping[str, Tensor]) -> dict[str, float]:
        """Return the values of a step as means over the ranks."""
        ranks = self.device.gather({name: float(value) for name, value in values.items()})
        return {name: sum(rank[name] for rank in ranks) / len(ranks) for name in values}

    def _evaluate(self, test: LoadedSamples) -> bool:
        """Evaluate, and return whether it is the best so far."""
        with self.pace.pause(self.device):
            self._check_losses()
            model = self.model if self.average is None else self.average.model
            # ranks have different BatchNorm statistics; those of the first rank are saved
            self.device.broadcast(model.buffers())
            self.last = evaluate(self.recipe, model, test, self.device)
        shown = {**self.last, "epoch": self._epoch}
        for line in self.recipe.evaluation_lines(self.step, shown):
            self.log.line(line)
        self.log.record("evaluation", self.step, self.last)
        return self.stopping.update(self.last[self.recipe.headline])

    def _check_losses(self) -> None:
        """Raise if the loss of any rank was NaN or infinite in any step of this process."""
        finite_steps = self.first + min(self.device.gather(int(self.stepper.finite_steps)))
        if finite_steps < self.step:
            raise UsageError(
                f"the loss of step {finite_steps + 1} is NaN or infinite",
                "set a lower train.optimizer.lr, a longer train.schedule.warmup or a "
                "train.optimizer.clip; with fp16, train.loss_scale.kind=dynamic",
            )

    # --- checkpoints

    def _save(self, best: bool) -> None:
        """Save a checkpoint, on the first rank, if all losses were finite."""
        with self.pace.pause(self.device):
            self._check_losses()
            if self.device.rank == 0:
                self._write(best)

    def _write(self, best: bool = False) -> None:
        checkpoints.save(self.run.checkpoints, self.step, self._state(), self.config.keep, best)

    def _state(self) -> dict[str, Any]:
        """Return everything a run needs to resume, on the CPU, for any device."""
        state = {
            "model": self.model.state_dict(),
            "ema": None if self.average is None else self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scale": self.scaler.state_dict(),
            "stopping": self.stopping.state_dict(),
            "plateau": None if self.plateau is None else self.plateau.state_dict(),
            "evaluation": dict(self.last),
            "config": settings.to_dict(self.recipe.config),
            "extras": self._extras(),
            "log": self.log.size,
        }
        return {name: _on_cpu(value) for name, value in state.items()}

    def _extras(self) -> dict[str, Any]:
        """Return what is saved with the weights: the recipe's extras, the names of the labels."""
        classes = getattr(self.data["train"], "classes", None)
        return {**self.recipe.extras(), **({} if classes is None else {"classes": [*classes]})}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Restore everything but the weights; a new average starts from the current weights."""
        optimizers.restore(self.optimizer, state["optimizer"])
        self.scaler.load_state_dict(state["scale"])
        self.stopping.load_state_dict(state["stopping"])
        self.last = state["evaluation"]
        if self.plateau is not None and state.get("plateau") is not None:
            self.plateau.load_state_dict(state["plateau"])
        if self.average is not None and state["ema"] is not None:
            self.average.load_state_dict(state["ema"])

    # --- the end

    def _interrupt(self) -> None:
        """Save and stop after a signal, without collectives: other ranks may have exited."""
        if self.first + int(self.stepper.finite_steps) == self.step:
            self._write()
        raise self.interruption.error(
            f"interrupted after step {self.step} of {self.config.steps}",
            f"{self.run.checkpoints} has a checkpoint of it; --resume goes on",
        )

    def _finish(self) -> None:
        """Write the result of the run, with the names that the guides use."""
        if self.device.rank > 0:
            return
        batch, ranks = self.config.batch, self.device.world
        seconds = self.pace.seconds_per_step
        result = {
            "Network": self.recipe.name,
            "RankSize": ranks,
            "BatchSize": batch,
            "DeviceType": self.device.title,
            "CaseName": f"{self.recipe.name}_bs{batch}_{ranks}p_acc",
            "ActualFPS": batch * ranks / seconds,
            "TrainingTime": seconds * 1000,
            "TrainAccuracy": self.last[self.recipe.headline],
            "ActualLoss": self.loss,
            "E2ETrainingTime": time.monotonic() - self.began,
            "Steps": self.step,
            "Metrics": dict(self.last),
        }
        write_json(self.run.result, result)
        self.log.line(f"{self.step} steps done; the result is in {self.run.result}")


def _on_cpu(value: Any) -> Any:
    """Copy all tensors of a state to the CPU."""
    if isinstance(value, Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, Mapping):
        return {name: _on_cpu(item) for name, item in value.items()}
    return [_on_cpu(item) for item in value] if isinstance(value, list) else value
