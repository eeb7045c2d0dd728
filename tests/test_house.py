"""The house: a package imports only packages that stand before it (CONTRIBUTING.md)."""

import ast
import inspect
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

from tests.cases import for_each
from tests.hospitals import READ
from wardround.core.benchmark import JudgeContext
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict

SOURCE = Path(__file__).parents[1] / "src/wardround"
ORDER = (
    "core",
    "scoring",
    "sandbox",
    "ehr",
    "models",
    "people",
    "agents",
    "benchmarks",
    "authoring",
    "runs",
    "report",
    "assessment",
    "assistant",
    "apps",
    "annotation",
)
# Packages that may import only some of those before them.
NARROWER = {
    "scoring": {"core"},
    "sandbox": {"core"},
    "ehr": {"core", "sandbox"},
    "models": {"core"},
    "runs": {"core", "models"},
    "report": {"core", "scoring"},
    "assessment": {"core", "scoring", "models", "runs", "report"},
    "assistant": {"core", "scoring", "ehr", "models", "runs", "report", "assessment"},
    "apps": {
        "core",
        "scoring",
        "sandbox",
        "ehr",
        "models",
        "people",
        "agents",  # the tools of other frameworks
        "runs",
        "report",
        "assessment",
        "assistant",
    },
    # Last, so that nothing imports it: the command finds it by its entry point.
    "annotation": {"core", "scoring", "ehr", "benchmarks", "apps"},
}


def allowed(package: str) -> set[str]:
    """The packages that a package may import."""
    return NARROWER.get(package, set(ORDER[: ORDER.index(package)]))


def imported(path: Path) -> set[str]:
    """The packages of wardround that a module imports, wherever in it."""
    return {name.split(".")[1] for name in names(path) if name.startswith("wardround.")}


def imported_benchmarks(path: Path) -> set[str]:
    """The packages of benchmarks that a module imports."""
    inner = (name.partition("wardround.benchmarks.")[2] for name in names(path))
    return {name.split(".")[0] for name in inner if name}


def names(path: Path) -> frozenset[str]:
    """The dotted names that a module imports."""
    return read(path).imports


@dataclass(frozen=True)
class Module:
    """A module as the tests of this file see it."""

    imports: frozenset[str]
    imports_but_for_types: frozenset[str]
    texts: str
    untrue_predicates: tuple[str, ...]
    mutable_fields: tuple[str, ...]


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# The nodes that the tests look at, among many more of each module.
LOOKED_AT = (*DOCUMENTED, ast.Import, ast.ImportFrom, ast.If, ast.Constant)


@cache
def read(path: Path) -> Module:
    """Reads a module once for all tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, LOOKED_AT)]
    for_types = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and "TYPE_CHECKING" in vars(node.test).values()
        for statement in node.body
        for inner in ast.walk(statement)
    }
    return Module(
        imports=dotted_names(nodes),
        imports_but_for_types=dotted_names(node for node in nodes if id(node) not in for_types),
        texts=texts_in(nodes),
        untrue_predicates=tuple(each for node in nodes for each in untrue_predicates(path, node)),
        mutable_fields=tuple(each for node in nodes for each in mutable_fields(path, node)),
    )


def dotted_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The dotted names that are imported."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found)


@for_each(ORDER)
def test_imports_follow_the_package_order(package: str) -> None:
    for path in (SOURCE / package).rglob("*.py"):
        assert imported(path) <= allowed(package) | {package, "__version__"}, path


def test_no_module_imports_a_private_name_of_another() -> None:
    for path in SOURCE.rglob("*.py"):
        ours = [name for name in names(path) if name.startswith("wardround.")]
        private = [name for name in ours if re.search(r"\._(?!_)", name)]
        assert not private, path


def test_annotation_uses_the_server_of_apps_alone() -> None:
    used = {
        name
        for path in (SOURCE / "annotation").rglob("*.py")
        for name in names(path)
        if name.startswith("wardround.apps.")
    }
    assert used
    assert not [name for name in used if not name.startswith("wardround.apps.web.")]


def test_every_package_is_in_the_order() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages <= set(ORDER)


def test_a_benchmark_imports_no_other() -> None:
    for own in (path for path in (SOURCE / "benchmarks").iterdir() if path.is_dir()):
        for path in own.rglob("*.py"):
            assert imported_benchmarks(path) <= {own.name, "kit", "settings"}, path


BENCHMARKS = [
    path
    for path in sorted((SOURCE / "benchmarks").iterdir())
    if (path / "declaration.py").is_file()
]
FILES = [
    "declaration",
    "benchmark",
    "tasks",
    "environment",
    "judge",
    "scorer",
    "report",
    "oracle",
    "prompts",
]


@for_each(BENCHMARKS)
def test_benchmarks_have_the_same_files(folder: Path) -> None:
    names = {path.stem for path in folder.iterdir()}
    assert [name for name in FILES if name not in names] == []


def defined_functions(path: Path) -> set[str]:
    """The names of the functions that a module defines."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in ast.parse(path.read_text()).body if isinstance(each, functions)}


@for_each(BENCHMARKS)
def test_judges_have_the_same_entrance(folder: Path) -> None:
    judge = import_module(f"wardround.benchmarks.{folder.name}.judge")
    parameters = inspect.signature(judge.verdicts).parameters
    assert list(parameters) == ["task", "trajectory", "graders", "context"]
    assert inspect.isasyncgenfunction(judge.verdicts)
    types = get_type_hints(judge.verdicts)
    assert types["trajectory"] is Trajectory
    assert types["graders"] is judge.Graders
    assert types["context"] is JudgeContext
    assert types["return"] == AsyncIterator[Verdict]


@for_each(BENCHMARKS)
def test_tasks_are_read_by_the_same_names(folder: Path) -> None:
    shipped = {"shipped_tasks"} if (folder / "suite").is_dir() else set()
    assert {"load_tasks", *shipped} - defined_functions(folder / "tasks.py") == set()


@for_each(BENCHMARKS)
def test_the_folder_of_a_benchmark_is_read_at_a_glance(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= 20


MODULES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SOURCE.rglob("*.py")
}


def imported_modules(name: str) -> set[str]:
    """The modules of wardround that a module imports, wherever in it but for types only."""
    whole = read(MODULES[name]).imports_but_for_types
    found = {each if each in MODULES else each.rpartition(".")[0] for each in whole}
    return found & MODULES.keys() - {name}


def circles(imports: Mapping[str, Set[str]]) -> list[str]:
    """The names that import themselves by way of others."""
    left = dict(imports)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    # What only imports a circle is in none.
    while free := [name for name in left if not any(name in others for others in left.values())]:
        for name in free:
            del left[name]
    return sorted(left)


def package(module: str) -> str:
    """A package of the house, or of the record: "wardround.runs", "wardround.ehr.fhir"."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["ehr"] else 2])


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles({name: imported_modules(name) for name in MODULES}) == []


def test_no_package_of_the_record_imports_itself_by_way_of_others() -> None:
    imports: dict[str, set[str]] = {}
    for name in MODULES:
        others = {package(other) for other in imported_modules(name)} - {package(name)}
        imports.setdefault(package(name), set()).update(others)
    assert "wardround.ehr.fhir" in imports
    assert circles(imports) == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == ["b", "c"]


@pytest.mark.parametrize("engine", ["spark", "bigquery"])
def test_engines_that_need_java_or_a_cloud_are_plug_ins(engine: str) -> None:
    own = f"wardround.ehr.database.{engine}"
    others = {name: imported_modules(name) for name in MODULES if not name.startswith(own)}
    assert [name for name, found in others.items() if any(n.startswith(own) for n in found)] == []


def test_agents_read_nothing_of_made_conversations() -> None:
    """Agents are scored on them, so neither they nor what they import may know the words."""
    words = re.compile(rb"authoring\W{1,5}chatqa")
    packages = allowed("agents") | {"agents"}
    files = [path for name in packages for path in (SOURCE / name).rglob("*") if path.is_file()]
    assert [str(path) for path in files if words.search(path.read_bytes())] == []
    assert words.search((SOURCE / "authoring/chatqa/work.py").read_bytes())


# The synthetic hospital is made by its command and for suites. All others read the record.
HOSPITAL_USERS = re.compile(
    r"apps\.command_line\.(data\.hospital|suite)$|benchmarks\.\w+\."
    r"|ehr\.hospital\b"
)


def test_only_its_command_and_suites_import_the_hospital() -> None:
    users = {
        name.removeprefix("wardround.")
        for name in MODULES
        if any(other.startswith("wardround.ehr.hospital") for other in imported_modules(name))
    }
    assert "apps.command_line.data.hospital" in users
    assert [name for name in users if not HOSPITAL_USERS.match(name)] == []


PREDICATE = re.compile(r"_?(?:is|has|are|can)_")
# HAS-BLED is a clinical score.
NO_PREDICATES = {"has_bled"}
MUTABLE = re.compile(r"(?<![\w.])(?:list|dict|set|bytearray|Counter|defaultdict|deque)\b")


def untrue_predicates(path: Path, function: ast.AST) -> Iterator[str]:
    """The name of a function that reads as a predicate and returns something else."""
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if not PREDICATE.match(function.name) or function.name in NO_PREDICATES:
            return
        returns = ast.unparse(function.returns) if function.returns else ""
        if not re.match(r"bool$|Type(?:Guard|Is)\[", returns):
            yield f"{path.relative_to(SOURCE)}: {function.name} -> {returns}"


def mutable_fields(path: Path, node: ast.AST) -> Iterator[str]:
    """The fields of a frozen dataclass that can be changed in place."""
    if isinstance(node, ast.ClassDef) and any(map(_is_frozen, node.decorator_list)):
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and MUTABLE.search(_held(field.annotation)):
                yield f"{path.relative_to(SOURCE)}: {node.name}.{ast.unparse(field.target)}"


def _held(annotation: ast.expr) -> str:
    """An annotation; a function is immutable whatever it returns."""
    text = ast.unparse(annotation)
    return "" if text.startswith("Callable[") else text


def _is_frozen(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(
        keyword.arg == "frozen" and ast.unparse(keyword.value) == "True"
        for keyword in decorator.keywords
    )


def test_predicates_return_bool() -> None:
    assert [each for path in MODULES.values() for each in read(path).untrue_predicates] == []


def test_frozen_dataclasses_have_no_mutable_field() -> None:
    assert [each for path in MODULES.values() for each in read(path).mutable_fields] == []


def test_an_untrue_predicate_and_a_mutable_field_are_found() -> None:
    (function,) = ast.parse("def _is_named(text: str) -> int: ...").body
    assert [*untrue_predicates(SOURCE, function)] == [".: _is_named -> int"]
    (frozen,) = ast.parse(
        "@dataclass(frozen=True)\nclass A:\n  a: Sequence[list[int]]\n  b: int"
    ).body
    assert [*mutable_fields(SOURCE, frozen)] == [".: A.a"]


# Table names of a layout that are no words of English; others cannot be told from what they name.
LAYOUT_TABLES = re.compile(
    r"(?<![\w.])(chartevents|condition_occurrence|d_(cpt|hcpcs|icd_\w+|items|labitems)"
    r"|datetimeevents|diagnoses_icd|drug_exposure"
    r"|emar(_detail)?|hcpcsevents|icustays|infusiondrug|ingredientevents|inputevents(_cv|_mv)?"
    r"|intakeoutput|labevents|microbiologyevents|microlab|noteevents|outputevents"
    r"|procedure_occurrence|procedureevents(_mv)?|procedures_icd|visit_detail|visit_occurrence"
    r"|vitala?periodic)(?!\w)"
)
# All others read a record through its map (ehr/records).
TABLE_USERS = (
    "ehr/(records|schema|ingest|hospital)/",  # the layouts themselves
    "ehr/fhir/mimic/",  # MIMIC-IV as PhysioNet converts it
    "ehr/database/googlesql/names.py",  # the tables of the published BigQuery datasets
    r"benchmarks/\w+/(declaration.py|suite/)",  # layouts that a benchmark runs on
    # Rubrics of queries on MIMIC-IV, and rows that tell wrong queries from right ones.
    r"benchmarks/\w+/(checks/|items/checks.py|gold/irregular_records.sql)",
    r"annotation/\w+/database_views.py",  # the published annotation's views
)


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def texts_of(path: Path) -> str:
    """The texts of a file that are no comments and no docstrings."""
    if path.suffix == ".py":
        return read(path).texts
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("#", "--")))


def texts_in(nodes: Sequence[ast.AST]) -> str:
    """The texts of a module that are no docstrings."""
    bodies = [node.body for node in nodes if isinstance(node, DOCUMENTED) and node.body]
    docstrings = {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}
    constants = (node for node in nodes if isinstance(node, ast.Constant))
    return "\n".join(str(node.value) for node in constants if id(node) not in docstrings)


SENTENCE_END = re.compile(r"\[(?=[^\]\n]*\.)(?=[^\]\n]*[?!])[^\]\n]*\]\)*(?: |\\s)")
# Files that look for a stop and a space, though for no end of a sentence (ehr/text/segments.py).
STOP_READERS = {
    "agents/parser/talk/phrases.toml": "where a question word may begin, as after a comma",
    "authoring/ehrsql/paraphrases/checks.py": "a stop within a question is wrong wherever it is",
    "people/reply_patterns.toml": "the end of an answer, which may be a line",
    "people/scripted_user.py": "a slot within the sentence of a form",
    "people/sentences.py": "parentheses of a whole sentence, before segments cut",
}
NEGATING = r"(?:no|not|never|none|nobody|nothing|without|neither|nor|cannot|[a-z]+n't)"
CHINESE_NEGATING = "(?:没有|否认|不要|不|没|无|未|否|勿|别)"
# Between two words of a list: of a pattern, of a table, or of quoted words.
BETWEEN = r"""\)?\??(?:[|;,、] ?|["'],\s*(?=["'])| )(?:\(\?:|\()?["']?"""
NEGATION = re.compile(
    rf"(?<![\w' -])(?P<first>{NEGATING}){BETWEEN}(?!(?P=first)\b){NEGATING}(?![\w'-])"
    rf"|{CHINESE_NEGATING}{BETWEEN}{CHINESE_NEGATING}|\[[^\]\n]*[不没无未勿别否]{{2}}"
    # `texts_of` puts each text of a module on a line of its own.
    rf"|^(?P<line>{NEGATING}|{CHINESE_NEGATING})\n(?!(?P=line)$)(?:{NEGATING}|{CHINESE_NEGATING})$",
    re.MULTILINE,
)
# Files that list negating words themselves, for other things than a mention (ehr/text/cues.tsv).
NEGATION_READERS = {
    "agents/clerk/reading.py": "requests not to do something",
    "agents/parser/talk/attributes.tsv": "a marital status",
    "agents/parser/talk/phrases.toml": "questions that refer to a failed one, and words of no name",
    "authoring/rewording/senses.toml": "limits, as in: not more than",
    "benchmarks/assist/checks/clause_words.tsv": "roles of words in an answer, which forbid orders",
    "benchmarks/assist/checks/cues.tsv": "prohibitions in rubrics",
    "benchmarks/chatqa/failures/causes.py": "conditions of an instruction",
    "people/grammar.toml": "absence that a person reports, and what a user must not do",
    "people/instruction_parser.py": "branches by what was found",
    "people/patient/closed_classes.toml": "function words of a patient's talk",
    "people/patient/speech_acts.toml": "what a patient does not know or tell",
    "people/quantity_bounds.py": "zero",
    "people/reply_patterns.toml": "answers that are zero",
}


@for_each([(SENTENCE_END, STOP_READERS), (NEGATION, NEGATION_READERS)])
def test_sentences_and_negations_are_read_in_one_package(
    pattern: re.Pattern[str], others: Mapping[str, str]
) -> None:
    files = (path for path in SOURCE.rglob("*") if path.suffix in (".py", ".toml", ".tsv", ".txt"))
    readers = {
        path.relative_to(SOURCE).as_posix() for path in files if pattern.search(texts_of(path))
    }
    assert {path for path in readers if not path.startswith("ehr/text/")} == set(others)


@for_each(
    [
        "no|not",
        "(?:not?|never)",
        "no; not; denies",
        "role\tno not never",
        'not = ["not", "no"]',
        texts_in(list(ast.walk(ast.parse("NOT = {'not', 'never'}")))),
        "没有|不",
        "无; 否认",
        "[不没]有",
        '["不", "没"]',
    ]
)
def test_list_of_negating_words_is_seen_in_every_notation(text: str) -> None:
    assert NEGATION.search(text)


def test_only_maps_and_published_formats_name_tables_of_a_layout() -> None:
    files = (path for path in SOURCE.rglob("*") if path.suffix in (".py", ".sql", ".toml"))
    naming = {
        path.relative_to(SOURCE).as_posix()
        for path in files
        if LAYOUT_TABLES.search(texts_of(path))
    }
    assert_only(TABLE_USERS, naming)


def assert_only(users: Sequence[str], found: Set[str]) -> None:
    """Asserts that patterns match all files that were found, and each pattern one of them."""
    allowed_users = re.compile("|".join(users))
    assert sorted(name for name in found if not allowed_users.match(name)) == []
    assert [each for each in users if not any(re.match(each, name) for name in found)] == []


# What a clinical question means becomes SQL in ehr/query alone. These have SQL of another sort.
SQL_WRITERS = (
    # The distinct values of columns, and if there are any: an index of the record, no question.
    "agents/parser/(columns|grammar/records).py",
    "agents/parser/answers.py",  # if a preparation shuffled values between patients
    "agents/parser/agents.py",  # the statement of an agent that has none
    # Texts for a language model, which writes the query itself.
    "agents/record_queries/sql_reading.py",
    "agents/sql_writer/(agent.py|rules.md)",
    # The stays and values that questions are drawn from, not the questions.
    "authoring/chatqa/(asked_records|spoken_values).py",
    # ClinSQL's stages: per stay and then over stays, as its gold SQL is published.
    "authoring/clinsql/gold_query/",
    # Patients that a cohort can be made of, and tests that are recorded at all.
    "authoring/clinsql/(anchors|rules|recorded_tests).py",
    "authoring/assist/candidates/prefilter.py",  # stays that a session can be made of
    # The published templates and their pieces.
    r"authoring/ehrsql/templates/(sql/\w+\.sql|\w+\.py)",
    "authoring/ehrsql/questions/history_reader.py",  # values to fill the templates with
    "authoring/interact/ambiguities/",  # changes any gold SQL, and counts what it has made
)


def writes_sql(path: Path) -> bool:
    """True if a file holds the text of a query, or builds one."""
    if path.suffix == ".py" and any(name == "sqlglot.select" for name in names(path)):
        return True
    builds = path.suffix == ".py" and re.search(r"\bexp\.[sS]elect\(", path.read_text("utf-8"))
    return bool(builds) or re.search(r"\bSELECT\b", texts_of(path)) is not None


def test_only_the_query_model_and_published_formats_write_sql() -> None:
    files = (path for package in ("agents", "authoring") for path in (SOURCE / package).rglob("*"))
    kinds = (".py", ".sql", ".toml", ".md", ".tsv", ".jsonl", ".json")
    found = {path for path in files if path.suffix in kinds and writes_sql(path)}
    assert_only(SQL_WRITERS, {path.relative_to(SOURCE).as_posix() for path in found})


def test_hospitals_depend_on_the_sources_of_their_digest() -> None:
    reached, left = set[str](), {"wardround.ehr.hospital.build"}
    while left:
        reached |= left
        left = {each for name in left for each in imported_modules(name)} - reached
    packages = {package(name) for name in reached if name.startswith("wardround.ehr.")}
    read = {f"wardround.{folder.replace('/', '.')}" for folder in READ}
    assert packages <= read | {"wardround.ehr.named_database"}


def test_slow_tests_exist() -> None:
    """Cases are not looked at: some exist only where real data or an engine does."""
    root = SOURCE.parents[1]
    for line in (root / "tests/slow.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            file, _, test = line.partition("[")[0].partition("::")
            assert f"def {test}(" in (root / file).read_text(encoding="utf-8"), line
