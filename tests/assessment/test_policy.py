from pathlib import Path

import pytest

from wardround.assessment.policy import read_policy, template
from wardround.core.errors import UserError
from wardround.core.harms import Harm

BENCHMARKS = {"triage", "cohorts"}


def written(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_template_is_a_policy_that_explains_every_measure(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path, template()), BENCHMARKS)
    assert policy.trials == 3
    assert all(f"#   {harm.value}: {harm.noun}" in template() for harm in Harm)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rules = 3", "rules"),
        (
            '[[rules]]\nmeasure = "pass^1"\nat_least = 0.9\n[serving]\nwritable_tables = ["notes"]',
            "an assistant only reads",
        ),
        ("", "Field required"),
        ("rules = []", "at least 1"),
        ("[[rules", "is not a TOML file"),
        ('[[rules]]\nmeasure = "luck"\nat_least = 0.5', "rule 1 measure: there is no measure"),
        ('[[rules]]\nmeasure = "pass^0"\nat_least = 0.5', "there is no measure 'pass^0'"),
        ('[[rules]]\nmeasure = "pass^1"', "rule 1: a rule has either"),
        ('[[rules]]\nmeasure = "pass^1"\nat_least = 0.5\nat_most = 0.9', "either"),
        ('[[rules]]\nmeasure = "pass^1"\nat_least = 80', "rule 1 at_least"),
        ('[[rules]]\nmeasure = "wrong_write"\nat_most = 0', "exactly 0 or 1"),
        ('[[rules]]\nmeasure = "wrong_write"\nat_least = 0.1', "wrong_write takes at_most"),
        ('[[rules]]\nmeasure = "pass^3"\nat_most = 0.9', "pass^3 takes at_least, not at_most"),
        ('[[rules]]\nmeasure = "wrong_write"\nmost = 0.1', "rule 1 most"),
        (
            '[[rules]]\nmeasure = "pass^1"\nat_least = 0.5\n'
            '[[rules]]\nmeasure = "pass^1"\nat_least = 0.5\nbenchmark = "traige"',
            "rule 2 benchmark: no tasks are made for 'traige'; a rule may be about cohorts, triage",
        ),
    ],
)
def test_a_policy_with_a_mistake_is_refused_in_one_sentence(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(UserError, match=r"policy\.toml") as error:
        read_policy(written(tmp_path, text), BENCHMARKS)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_policy(tmp_path / "none.toml", BENCHMARKS)
