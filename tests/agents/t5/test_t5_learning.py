"""A tiny T5 with random weights learns toy questions, and is less sure of others."""

import asyncio
import json
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.agents.t5.toy import TABLES, answerable, unanswerable
from wardround.agents.t5.agents import open_agents
from wardround.agents.t5.decoder import BatchedDecoder, Decoded, Decoder
from wardround.agents.t5.model_folder import ModelFolder
from wardround.agents.t5.seq2seq_model import Seq2SeqModel
from wardround.agents.t5.trainer import Loss, Schedule
from wardround.agents.t5.training_run import FineTuning, fine_tune
from wardround.apps.command_line import main
from wardround.core.actions import Call, Observation
from wardround.core.benchmark import AgentContext
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger

SHORT = Schedule(steps=6, batch=4, length=64, rate=0.003, decay=0.0, every=2)
LONG = Schedule(steps=160, batch=16, length=96, rate=0.003, decay=0.0, every=40)
TRAIN, HELD_OUT = answerable(300, seed=1), answerable(24, seed=2)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Learned:
    """A training that is done, with its folder."""

    def __init__(self, folder: Path) -> None:
        self.trained = ModelFolder(folder)
        self.losses = fine_tune(
            FineTuning(TRAIN, HELD_OUT, "new:2x64", schedule=LONG), self.trained
        )
        self.decoder = Decoder.open(self.trained, beams=3)
        self.answers = self.decoder.decode([pair.question for pair in HELD_OUT])


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    return Learned(tmp_path_factory.mktemp("t5"))


def test_loss_falls_and_answers_are_right(learned: Learned) -> None:
    first, *_, last = learned.losses
    assert first.valid
    assert last.valid
    # Bounds here and below: PyTorch rounds differently on different processors.
    assert last.valid < first.valid / 2
    pairs = zip(learned.answers, HELD_OUT, strict=True)
    assert sum(answer.sql == pair.sql for answer, pair in pairs) > len(HELD_OUT) * 3 / 4


def test_entropies_are_higher_for_unanswerable_questions(learned: Learned) -> None:
    others = learned.decoder.decode(unanswerable(24, seed=3))
    pairs = list(product(others, learned.answers))
    higher = sum(other.entropy > known.entropy for other, known in pairs)
    assert higher / len(pairs) > 0.8


def test_folder_holds_losses_and_entropies(learned: Learned) -> None:
    curve = json.loads((learned.trained.path / "losses.json").read_text("utf-8"))
    assert [Loss(**point) for point in curve] == learned.losses
    assert [point["step"] for point in curve] == [40, 80, 120, 160]
    assert len(learned.trained.entropies) == len(HELD_OUT)


ANSWER: dict[str, dict[str, object]] = {"properties": {"query": {}, "confidence": {}}}
REASON: dict[str, dict[str, object]] = {"properties": {"reason": {}, "confidence": {}}}
BRIEFING = Briefing(
    "",
    (
        ToolSpec("hand_in", "", ANSWER, role="answer_with_query"),
        ToolSpec("give_up", "", REASON, role="abstain"),
    ),
)


@pytest.mark.parametrize(
    ("threshold", "tool"), [("none", "hand_in"), (100.0, "hand_in"), (0.0, "give_up")]
)
async def test_agent_answers_or_abstains(learned: Learned, threshold: Any, tool: str) -> None:
    make = open_agents(None, agent_model=learned.trained.path, threshold=threshold, beams=1)
    agent = make(BRIEFING, AgentContext(0, Ledger()))
    done = await agent.act(Observation(TRAIN[0].question, "user"))
    assert isinstance(done, Call)
    assert done.tool == tool
    assert 0 <= done.arguments["confidence"] <= 1


async def test_concurrent_trials_are_decoded_in_one_batch(learned: Learned) -> None:
    asked: list[int] = []

    class Counting:
        def decode(self, questions: list[str]) -> list[Decoded]:
            asked.append(len(questions))
            return learned.decoder.decode(questions)

    together: Any = BatchedDecoder(Counting())  # type: ignore[arg-type]
    questions = [pair.question for pair in HELD_OUT[:6]]
    found = await asyncio.gather(*map(together.decode, questions))
    assert [decoded.sql for decoded in found] == [answer.sql for answer in learned.answers[:6]]
    assert asked == [6]


async def test_decoding_error_reaches_every_trial() -> None:
    class Failing:
        def decode(self, questions: list[str]) -> list[Decoded]:
            raise RuntimeError("out of memory")

    together: Any = BatchedDecoder(Failing())  # type: ignore[arg-type]
    found = await asyncio.gather(*map(together.decode, "ab"), return_exceptions=True)
    assert [type(item) for item in found] == [RuntimeError, RuntimeError]


def test_entropies_do_not_depend_on_the_batch(learned: Learned) -> None:
    questions = [pair.question for pair in HELD_OUT[:4]]
    alone: list[Decoded] = [learned.decoder.decode([question])[0] for question in questions]
    for item, together in zip(alone, learned.decoder.decode(questions), strict=True):
        assert item.sql == together.sql
        assert item.entropy == pytest.approx(together.entropy, abs=1e-4)


def weights(trained: ModelFolder) -> dict[str, Any]:
    found: dict[str, Any] = Seq2SeqModel.open(trained.model).model.state_dict()
    return found


def test_resumed_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    tuning = FineTuning(TRAIN[:20], (), "new:1x32", TABLES, SHORT)
    whole, stopped = ModelFolder(tmp_path / "whole"), ModelFolder(tmp_path / "stopped")
    fine_tune(tuning, whole)

    def stop(step: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fine_tune(tuning, stopped, stop)
    with pytest.raises(UserError, match="has not ended"):
        Decoder.open(stopped, beams=1)
    told: list[int] = []
    losses = fine_tune(tuning, stopped, lambda step, loss: told.append(step))
    assert told == [5, 6]
    assert [loss.step for loss in losses] == [2, 4, 6]
    after = weights(stopped)
    assert all(torch.equal(value, after[name]) for name, value in weights(whole).items())


def test_folder_of_another_training_is_refused(tmp_path: Path) -> None:
    trained = ModelFolder(tmp_path)
    fine_tune(FineTuning(TRAIN[:4], (), "new:1x32", schedule=SHORT), trained)
    with pytest.raises(UserError, match="another schema, pairs"):
        fine_tune(FineTuning(TRAIN[:5], (), "new:1x32", TABLES, SHORT), trained)


def test_schema_is_appended_to_each_question(tmp_path: Path) -> None:
    trained = ModelFolder(tmp_path)
    fine_tune(FineTuning(TRAIN[:4], (), "new:1x32", TABLES, SHORT), trained)
    assert trained.schema == "orders : patient , drug , started | counts : patient , orders"
    decoder = Decoder.open(trained, beams=1)
    bare = Decoder(decoder.model, "", 1, 64, Lock())
    [with_schema], [without] = decoder.decode(["list drugs"]), bare.decode(["list drugs"])
    assert with_schema.entropy != without.entropy


def test_letters_missing_from_the_tokenizer_are_escaped() -> None:
    letters = {letter: n for n, letter in enumerate(["<pad>", "</s>", "?", *"selct 12[u+3]ab"])}
    pieces = Tokenizer(models.WordLevel({**letters, "c": len(letters)}, unk_token="?"))
    pieces.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    pieces.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="<pad>", eos_token="</s>", unk_token="?"
    )
    model = Seq2SeqModel(None, tokenizer)
    numbers = model.encode(["select a<2"], 40)["input_ids"]
    assert model.decode(numbers) == ["select a<2"]


def test_command_trains_and_draws_the_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tmp_path / "train.json"
    written = [
        {"id": str(n), "question": pair.question, "query": pair.sql, "db_id": "ward"}
        for n, pair in enumerate(TRAIN[:8])
    ]
    tasks.write_text(json.dumps(written), encoding="utf-8")
    to = tmp_path / "model"
    given = (
        f"train t5 --tasks {tasks} --valid {tasks} --to {to} --base new:1x32 --steps 4 --every 2"
    )
    monkeypatch.setattr(
        sys, "argv", ["wardround", *given.split(), "--length", "32", "--beams", "1"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    assert (to / "losses.svg").read_text("utf-8").startswith("<svg")
    assert len(ModelFolder(to).entropies) == 8


def test_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        Seq2SeqModel.open(tmp_path / "nowhere")


def test_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no model of `wardround train t5`"):
        open_agents(None, agent_model=tmp_path, threshold="none")
