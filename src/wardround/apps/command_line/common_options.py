"""Options of all benchmarks, and of all work with language models."""

from pathlib import Path
from typing import Literal

from wardround.apps.command_line.parameters import CommandOption
from wardround.core.limits import MOST, MOST_AT_ONCE, MOST_SECONDS, MOST_SEED

TASKS, AGENT, MODELS, LIMITS, OUTPUT = "Tasks", "Agent", "Models", "Limits", "Output"

TASK_OPTIONS = (
    CommandOption(
        "tasks", Path, "A task file in the published format. [the shipped suite]", group=TASKS
    ),
    CommandOption(
        "database",
        list[str],
        "A database, or NAME=DATABASE with the name that the tasks use; may be repeated. "
        "[the shipped one]",
        group=TASKS,
    ),
    CommandOption(
        "task",
        list[str],
        "Only tasks with this id; * and ? stand for any letters; may be repeated.",
        group=TASKS,
    ),
    CommandOption("limit", int, "Only the first N tasks.", group=TASKS, at_least=1, at_most=MOST),
)

_TRIAL_OPTIONS = (
    CommandOption(
        "trials",
        int,
        "The number of trials of each task.",
        1,
        group=TASKS,
        at_least=1,
        at_most=MOST,
    ),
    CommandOption(
        "seed", int, "The run's seed.", 0, group=TASKS, at_least=-MOST_SEED, at_most=MOST_SEED
    ),
    CommandOption("grading", str, "The grading that decides what passes.", group=TASKS),
)

AGENT_OPTIONS = (
    CommandOption(
        "agent",
        str,
        "The agent: a name from `wardround list`, module:function, or oracle. "
        "[the benchmark's own without a model, if any; with --model: tools; with --base-url: json]",
        group=AGENT,
    ),
    CommandOption("agent_model", Path, "A trained file of `wardround train`.", group=AGENT),
    CommandOption(
        "agent_setting",
        list[str],
        "A setting of the agent, as NAME=VALUE; may be repeated.",
        group=AGENT,
    ),
    CommandOption(
        "agent_allow",
        list[str],
        "Let a confined agent reach more: net (the network, local servers included), read:PATH, "
        "or env:NAME; may be repeated.",
        group=AGENT,
    ),
    CommandOption(
        "agent_process",
        Literal["run", "trial"],
        "The process of an agent that is not wardround's own: run for one that all trials share, "
        "trial for a new one in each trial.",
        "run",
        group=AGENT,
    ),
    CommandOption(
        "unconfined",
        bool,
        "Let the agent have your account's files, processes and network.",
        False,
        group=AGENT,
    ),
)

MODEL_OPTIONS = (
    CommandOption(
        "model",
        str,
        "The language model of all roles, as PROVIDER:NAME[,SETTING=VALUE...].",
        group=MODELS,
    ),
    CommandOption(
        "base_url", str, "An OpenAI-compatible server for --model openai:NAME.", group=MODELS
    ),
    CommandOption(
        "reasoning_effort",
        str,
        "How long the model of --model thinks: minimal, low, medium or high. [the role's]",
        group=MODELS,
    ),
    CommandOption(
        "role_model",
        list[str],
        "A role's own model, as ROLE=PROVIDER:NAME[,SETTING=VALUE...]; may be repeated. [--model]",
        group=MODELS,
    ),
    CommandOption(
        "max_wait",
        float,
        "Maximum seconds that one call waits for a busy or failing provider.",
        300.0,
        group=MODELS,
        at_least=0,
    ),
    CommandOption(
        "price",
        list[str],
        "A model's price in US dollars for a million tokens, as PROVIDER:NAME=INPUT,OUTPUT, such "
        "as for your own server; may be repeated. [the provider's list price]",
        group=MODELS,
    ),
    CommandOption("cache", Path, "A file that caches model answers.", group=MODELS),
    CommandOption("record", Path, "A file that records all exchanges with models.", group=MODELS),
    CommandOption(
        "replay", Path, "A recorded file that answers instead of any model.", group=MODELS
    ),
)

TEMPERATURE = CommandOption(
    "temperature",
    str,
    "The agent's temperature; none leaves it to the provider. [the role's]",
    group=MODELS,
)

STATEMENT_SECONDS = CommandOption(
    "statement_seconds",
    float,
    "Seconds for a database statement.",
    group=LIMITS,
    at_most=MOST_SECONDS,
)
LIMIT_OPTIONS = (
    CommandOption(
        "actions", int, "Agent actions in a trial.", group=LIMITS, at_least=1, at_most=MOST
    ),
    CommandOption("seconds", float, "Seconds in a trial.", group=LIMITS, at_most=MOST_SECONDS),
    STATEMENT_SECONDS,
    CommandOption(
        "attempts",
        int,
        "Maximum attempts at a trial whose user breaks the rules.",
        3,
        group=LIMITS,
        at_least=1,
        at_most=MOST,
    ),
    CommandOption(
        "concurrency",
        int,
        "Concurrent trials.",
        8,
        group=LIMITS,
        at_least=1,
        at_most=MOST_AT_ONCE,
    ),
    CommandOption(
        "judge_concurrency",
        int,
        "Trials judged concurrently. [--concurrency]",
        group=LIMITS,
        at_least=1,
        at_most=MOST_AT_ONCE,
    ),
    CommandOption(
        "processes",
        int,
        "Processes that share the trials.",
        1,
        group=LIMITS,
        at_least=1,
        at_most=MOST_AT_ONCE,
    ),
)

_CLUSTER_OPTIONS = (
    CommandOption(
        "cluster",
        str,
        "The address of a Ray cluster whose nodes share the trials, such as 10.0.0.1:6379, or "
        "auto for the one that this machine belongs to.",
        group=LIMITS,
    ),
)

OUTPUT_OPTIONS = (
    CommandOption(
        "as_json", bool, "Print the tables as JSON.", False, group=OUTPUT, typed="--json"
    ),
)

_FOLDER_OPTIONS = (
    CommandOption("out", Path, "The run's folder. [runs/BENCHMARK-AGENT-NUMBER]", group=OUTPUT),
    CommandOption("html", Path, "Also write the report to this file.", group=OUTPUT),
    CommandOption("force", bool, "Replace the run in --out.", False, group=OUTPUT),
    CommandOption(
        "fail_under",
        float,
        "Exit with 1 if fewer than this percentage of tasks are right in all trials.",
        group=OUTPUT,
        at_least=0,
        at_most=100,
    ),
)

# Options that determine the settings of a run.
# Options of an agent, or of several trials of a task.
_NO_SESSION = {"trials", "attempts", "concurrency", "judge_concurrency", "processes"}
SETTING_OPTIONS = (
    *TASK_OPTIONS,
    *_TRIAL_OPTIONS,
    *AGENT_OPTIONS,
    *MODEL_OPTIONS,
    TEMPERATURE,
    *LIMIT_OPTIONS,
    *_CLUSTER_OPTIONS,
)
RESULT_OPTIONS = (*OUTPUT_OPTIONS, *_FOLDER_OPTIONS)
RUN_OPTIONS = (*SETTING_OPTIONS, *RESULT_OPTIONS)
SESSION_OPTIONS = tuple(
    option
    for option in (*TASK_OPTIONS, *_TRIAL_OPTIONS, *MODEL_OPTIONS, *LIMIT_OPTIONS)
    if option.name not in _NO_SESSION
)
WORK_OPTIONS = (*MODEL_OPTIONS, *OUTPUT_OPTIONS)
VALIDATE_OPTIONS = (
    *TASK_OPTIONS,
    CommandOption("grading", str, "The grading in which golds have to pass. [all]", group=TASKS),
    STATEMENT_SECONDS,
    *OUTPUT_OPTIONS,
)
AUDIT_OPTIONS = (*TASK_OPTIONS, *MODEL_OPTIONS, *LIMIT_OPTIONS, *OUTPUT_OPTIONS)
