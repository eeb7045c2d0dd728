"""The questions of a turn, implicit and explicit, which ask for the values that are graded."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import COURSE, is_told
from wardround.authoring.assist.wording.order_texts import (
    all_words,
    cause_words,
    order_wordings,
    order_words,
    shown_harm,
)
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    finding_words,
    listed,
    risk_area,
    slots_of,
    value_words,
    wordings,
)
from wardround.benchmarks.assist.sessions import Language

_MOST_WORDS, _MOST_LETTERS = 25, 60  # of a question in English, and in Chinese
_LOOKUP_ITEMS, _GATHERED_ITEMS, _MIXED_ITEMS = 3, 2, 3
# The wordings of a question, and the words for their slots.
Worded: TypeAlias = tuple[Sequence[str], Mapping[str, str]]


def is_short(question: str, language: Language) -> bool:
    """True if a question has no more words or Chinese characters than questions may have."""
    if language == "en":
        return len(question.split()) <= _MOST_WORDS
    return len(question) <= _MOST_LETTERS


def explicit_question(draft: Draft) -> str:
    """A draft's explicit question in English, in its first wording."""
    return question_text(draft, "explicit", "en", 0.0)


def question_text(
    draft: Draft, form: str, language: Language, choice: float, told: Sequence[Finding] = ()
) -> str:
    """The question of a draft, in one of the wordings that are short enough if any are.

    Args:
        draft: the draft.
        form: the implicit form, or "explicit".
        language: the language.
        choice: the place among the wordings, from 0 to below 1.
        told: the findings of earlier turns that the answer rests on; an explicit question of
            reasoning names the results among them.
    """
    questions = list(question_texts(draft, form, language, told))
    short = [each for each in questions if is_short(each, language)] or questions
    return short[int(choice * len(short))]


def question_texts(
    draft: Draft, form: str, language: Language, told: Sequence[Finding] = ()
) -> Iterator[str]:
    """The question of a draft in each wording."""
    texts, words = _worded(draft, form, language, told)
    return (filled(text, words) for text in texts)


def _worded(draft: Draft, form: str, language: Language, told: Sequence[Finding]) -> Worded:
    match draft.type:
        case "IL":
            return _lookup_texts(draft, form, language), draft_words(draft, language)
        case "DG":
            return _gathering(draft, form, language)
        case "CR":
            return _reasoning(draft, form, language, told)
        case "WU":
            table = order_wordings(draft, language)
            is_abstract = form == "explicit" and draft.form == "AE"
            texts = table.get("explicit_AE", table[form]) if is_abstract else table[form]
            return texts, order_words(draft, language)


def _lookup_texts(draft: Draft, form: str, language: Language) -> Sequence[str]:
    """The wordings of a lookup; a fragment may only name another entity."""
    table = finding_wordings(draft.findings[0], language)
    is_by_account = form == "AE" and draft.rule and draft.rule.rule.action == "resupply"
    key = "account" if is_by_account else form
    texts: Sequence[str] = table["shown" if draft.rule else "ask"].get(key, ())
    if draft.echoed is not None and form == "PE":
        texts = wordings(language)["question"]["echo"]
    return texts


def draft_words(draft: Draft, language: Language) -> dict[str, str]:
    """The words of a draft's first finding and entity, and the causes of the harm that it shows."""
    words = finding_words(draft.findings[0], language)
    words["name"] = entity_name(draft.findings[0].entity, language)
    if draft.rule:
        words["causes"] = cause_words(draft.rule, language)
        words["all"] = all_words(draft.rule, language)
        words["harm"] = shown_harm(draft.rule, language)
    return words


def _gathering(draft: Draft, form: str, language: Language) -> Worded:
    first, table = draft.findings[0], wordings(language)["question"]
    if form in ("AE", "explicit") and is_comparison(draft):
        texts = finding_wordings(first, language)["compared"][form]
        names = [entity_name(each.entity, language) for each in draft.findings]
        return texts, {"names": listed(names, language)}
    told, counts = {entity for entity, _ in draft.omitted}, item_counts(draft)
    phrases, lead = [], ""
    for each, count in zip(draft.findings, counts, strict=True):
        key = form if each.entity in told and form != "explicit" else _named_key(form)
        phrases.append(_gathered(each, key, count, language))
    if draft.rule:
        shown = finding_wordings(first, language)["shown"]
        key = "named" if form == "explicit" else "implied"
        text = shown[f"{key}_whole" if counts[0] > _GATHERED_ITEMS else key]
        words = draft_words(draft, language)
        phrases[0], lead = filled(text, words), filled(table["lead"][key], words)
    frames = [lead + frame for frame in table["DG"][form]]
    return frames, {"phrases": listed(phrases, language)}


def is_comparison(draft: Draft) -> bool:
    """True if an abstract question compares the two findings of a turn."""
    return draft.type == "DG" and draft.form == "AE" and not draft.rule


def _reasoning(draft: Draft, form: str, language: Language, told: Sequence[Finding]) -> Worded:
    table = wordings(language)["question"]
    is_whole, is_new_risk = draft.form == "AE", draft.asked_risks and not draft.bound.is_score
    texts = table[_frame(draft.bound)][form]
    if is_whole and form == "explicit":
        texts = table["whole"]["new_risk" if is_new_risk else _asked(draft.bound)]
    elif is_new_risk:
        texts = table["new_risk"]
    return texts, _reasoning_words(draft, form, language, told)


def _asked(bound: BoundRule) -> str:
    """The entry of a question about all that was told: for a risk, or for a score and its risk."""
    return "risk" if not bound.is_score else "score" if bound.tests else "coded"


def _reasoning_words(
    draft: Draft, form: str, language: Language, told: Sequence[Finding]
) -> dict[str, str]:
    """The words for the parts of a question about what follows from a rule."""
    bound = draft.bound
    omitted = [entity for entity, _ in draft.omitted]
    phrases = _evidence(draft, form, language, told)
    if form == "explicit":
        results = [each for each in (*draft.findings, *told) if each.entity.kind == "test"]
        phrases += [*_told_results(draft, results, language), *_told_use(draft, language)]
    else:
        phrases = [*_meant_results(draft, form, language), *phrases]
    shown = [each.entity for each in draft.findings]
    named = [] if form == "explicit" else [e for e in draft.named if e not in shown]
    told_entities = [e for e in dict.fromkeys(omitted) if e not in shown]
    new = listed(
        [entity_name(entity, language) for entity in shown if entity.kind == "test"], language
    )
    drug = value_words(bound.drug, "drug", language)
    return {
        "evidence": listed(phrases, language),
        "drug": drug,
        "beside": value_words(bound.beside, "drug", language),
        "test": value_words(bound.rule.test, "test", language),
        "score": wordings(language)["score"].get(bound.rule.test, ""),
        "new": new,
        "of": _score_source(told_entities, new, language),
        "under": _under(bound, told_entities, form, language),
        "area": risk_area(bound.rule.risk, language),
        "tests": listed(_inputs(bound, language), language),
        "whole": _whole(draft, language),
        "sum": wordings(language)["question"]["sum"]["drugs" if means_drugs(draft) else "all"],
        "account": "" if _tells_use(draft) else _account(bound, language),
        **_references(draft, told_entities, named, form, language),
    }


def _meant_results(draft: Draft, form: str, language: Language) -> list[str]:
    """The noun phrases for told results that the risk of a drug rests on, without their names."""
    bound, shown = draft.bound, [each.entity for each in draft.findings]
    tests = [e for e, _ in draft.omitted if e.kind == "test" and e not in shown]
    is_of_drug = bool(bound.drug) and not bound.is_score
    if form == "AE" or not is_of_drug:
        return []
    table = wordings(language)["finding"][COURSE if bound.is_of_course else LATEST[0]]
    return [str(table[form]) for _ in dict.fromkeys(tests)]


def _asks_with_result(draft: Draft, form: str) -> bool:
    """True if a question asks for what a drug that it names does with a result that it means."""
    kinds = [entity.kind for entity, _ in draft.omitted]
    new = [entity for entity in draft.named if entity.kind == "drug"]
    return form == "NA" and "drug" not in kinds and "test" in kinds and len(new) == 1


def _evidence(draft: Draft, form: str, language: Language, told: Sequence[Finding]) -> list[str]:
    """The noun phrases for the findings of a question about what follows.

    Of two orders, a fragment names the drug of one only, and asks for both together.
    """
    omitted = [entity for entity, _ in draft.omitted]
    phrases = []
    for each in _placed(draft, form):
        is_left_out = each.entity in omitted and form != "explicit"
        if form == "PE" and _has_both(draft, each):
            if not is_left_out:
                text = finding_wordings(each, language)["both"][form]
                phrases.append(filled(text, finding_words(each, language)))
        else:
            key = form if is_left_out else _named_key(form)
            phrases.append(_phrase(each, key, draft, language, is_alone=not told))
    return phrases


def _placed(draft: Draft, form: str) -> Sequence[Finding]:
    """The findings of a question in the order of its phrases.

    In a fragment about two drugs "the other drug" comes after the one that it names, and two
    orders come at the end.
    """
    drugs = {each.entity for each in draft.findings if each.entity.kind == "drug"}
    if form != "PE" or len(drugs) < 2:
        return draft.findings
    omitted = [entity for entity, _ in draft.omitted]

    return sorted(draft.findings, key=lambda each: (_has_both(draft, each), each.entity in omitted))


def _has_both(draft: Draft, finding: Finding) -> bool:
    """True if a turn finds the same of two drugs, and a fragment has words for both together."""
    kinds = [each.kind for each in draft.findings]
    return kinds.count(finding.kind) > 1 and "both" in finding_wordings(finding, "en")


def means_drugs(draft: Draft) -> bool:
    """True if an abstract question of reasoning is about told drugs, and about no told result."""
    is_untaken = draft.bound.rule.action == "resupply"
    return len(draft.meant_drugs) > 1 and not draft.meant_results and not is_untaken


def _account(bound: BoundRule, language: Language) -> str:
    """The words for home use that the patient told in an earlier turn."""
    table = wordings(language)["question"]["account"]
    return str(table["beside" if bound.beside else "use"])


def _references(
    draft: Draft,
    told_entities: Sequence[Entity],
    named: Sequence[Entity],
    form: str,
    language: Language,
) -> dict[str, str]:
    """The words for what a question leaves out, and for the rest that it names.

    Of two drugs that earlier turns told, one may be the evidence; the other is the earlier one. If
    both are the evidence, the question is about them together.
    """
    table = wordings(language)["question"]
    omitted = [entity for entity, _ in draft.omitted]
    kinds = [e.kind for e in omitted if e.kind in table["that"]]
    drugs = [entity for entity in told_entities if entity.kind == "drug"]
    that = "drug" if "drug" in kinds else next(iter(kinds), "drug")
    new = [entity for entity in draft.named if entity.kind == "drug"]
    if _asks_with_result(draft, form):
        text = table["that"]["result"].format(drug=entity_name(new[0], language))
        return {"that": text, "named": table["named"]["result"]}
    words = "".join(_named(entity, language) for entity in named)
    if draft.bound.beside and not named:
        if form == "NA" and not drugs and not draft.bound.is_told:
            return {"that": table["those"]["pair"], "named": ""}
        words = table["combined"].get("recalled" if draft.recalls else form, "")
        that = "named" if drugs and len(drugs) < len(draft.bound.entities) else that
    if draft.recalls and that == "drug":
        that = "recalled"
    # Beside the name of a test, "it" could be that, or a drug of its name.
    is_new = that == "named" and new and not draft.bound.is_told
    if that == "drug" and draft.bound.is_told and draft.bound.beside and not _tells_use(draft):
        that = "prescribed"  # beside what the patient bought
    text = entity_name(new[0], language) if is_new else table["that"][that]
    return {"that": text, "named": words}


def _score_source(told_entities: Sequence[Entity], new: str, language: Language) -> str:
    """The words for the results that a score is computed from, some of an earlier turn or none."""
    has_test = any(entity.kind == "test" for entity in told_entities)
    text: str = wordings(language)["question"]["of"]["meant" if has_test else "new"]
    return text.format(new=new)


def _under(bound: BoundRule, told_entities: Sequence[Entity], form: str, language: Language) -> str:
    """The words for the drug that a score is about; a fragment leaves out one that is known."""
    if not bound.drug:
        return ""
    is_known = form != "explicit" and Entity("drug", bound.drug) in told_entities
    key = "fragment" if form == "PE" else "meant" if is_known else "named"
    text: str = wordings(language)["question"]["under"][key]
    is_left = is_known and form in ("PE", "AE")
    return "" if is_left else text.format(drug=value_words(bound.drug, "drug", language))


def _tells_use(draft: Draft) -> bool:
    """True if a turn itself asks the patient about the drug of its rule."""
    return any(is_told(each, draft.bound.drug) for each in draft.findings)


def _home_use(
    bound: BoundRule, texts: Mapping[str, str], language: Language, beside: Sequence[str] = ()
) -> str:
    """The words for what the patient told about a rule's drug: one beside it, or not taken.

    The names of other drugs that are taken at home too come before it.
    """
    text = texts["bought" if bound.beside else "unused"]
    name = value_words(bound.beside or bound.drug, "drug", language)
    return text.format(drug=listed([*beside, name], language))


def _told_use(draft: Draft, language: Language) -> list[str]:
    """The account of an earlier turn that a rule rests on, beside which nothing else was told."""
    is_alone = draft.bound.is_told and draft.form != "AE"
    texts = wordings(language)["question"]
    return [_home_use(draft.bound, texts, language)] if is_alone and not _tells_use(draft) else []


def _told_results(draft: Draft, results: Sequence[Finding], language: Language) -> list[str]:
    """The noun phrases for results of earlier turns that nothing else in a question names."""
    bound, table = draft.bound, wordings(language)["finding"]
    courses = {each.entity for each in results if each.kind == COURSE and bound.is_of_course}
    named = {*(bound.entities if bound.is_score else ()), *(each.entity for each in draft.findings)}
    meant = dict.fromkeys(each.entity for each in results)
    texts = {e: table[COURSE if e in courses else LATEST[0]]["phrase"] for e in meant}
    return [
        filled(text, {"test": entity_name(entity, language)})
        for entity, text in texts.items()
        if entity not in named
    ]


def _whole(draft: Draft, language: Language) -> str:
    """The drugs of "all of that" that the new evidence of a question does not name."""
    bound, table = draft.bound, wordings(language)["question"]["whole"]
    shown = {each.entity.name for each in draft.findings}
    names = {e: value_words(e, "drug", language) for e in draft.meant_drugs if e not in shown}
    use = ""
    if bound.is_told and not _tells_use(draft):
        others = [name for name in names if name != bound.beside]
        # Beside the prescribed drug alone, both are told to be taken at home.
        both = [names.pop(bound.drug)] if bound.beside and others == [bound.drug] else []
        names.pop(bound.beside or bound.drug, None)
        use = _home_use(bound, table, language, both)
    others_key = "with_both" if use else "with_drugs"
    text: str = table[others_key if names else "with_home_use" if use else "without_drugs"]
    named = list(names.values())
    every = listed([*named, *([use] if use else [])], language)
    return text.format(names=listed(named, language), use=use, all=every)


def _frame(bound: BoundRule) -> str:
    """The entry of the wordings for questions about a rule."""
    if bound.is_told:
        return "CR_untaken" if bound.rule.action == "resupply" else "CR_told"
    if bound.is_score:
        return "CR_score" if bound.tests else "CR_coded"
    return "CR_pair" if bound.beside else "CR_drug" if bound.drug else "CR_test"


def _phrase(finding: Finding, key: str, draft: Draft, language: Language, *, is_alone: bool) -> str:
    """A noun phrase for one of the findings that a question about what follows rests on.

    A finding that is the only evidence is asked for with its second value.
    """
    table = finding_wordings(finding, language)
    kinds = [each.kind for each in draft.findings]
    drugs = {each.entity for each in draft.findings if each.entity.kind == "drug"}
    beside = _text(table.get("beside", {}), key) if len(drugs) > 1 else None
    short = _text(table.get("short", {}), key) if len(kinds) > 1 or not is_alone else None
    # The gates refuse a name that should be left out.
    text = beside or short or _text(table, key) or table["phrase"]
    return filled(text, finding_words(finding, language))


def _named_key(form: str) -> str:
    """The entry for a finding that a question names; a fragment may have its own."""
    return "fragment" if form == "PE" else "phrase"


def _text(texts: Mapping[str, str], key: str) -> str | None:
    """The wording of an entry, if there is any."""
    return texts.get(key) or (texts.get("phrase") if key == "fragment" else None)


def _gathered(finding: Finding, key: str, count: int, language: Language) -> str:
    """A noun phrase for the values that a question about several findings asks for."""
    table = finding_wordings(finding, language)
    of_all = _text(table.get("whole", {}), key) if count > _GATHERED_ITEMS else None
    # The gates refuse a name that should be left out.
    text = of_all or _text(table.get("gathered", {}), key) or _text(table, key) or table["phrase"]
    return filled(text, finding_words(finding, language))


def _named(entity: Entity, language: Language) -> str:
    text: str = wordings(language)["question"]["named"][entity.kind]
    return text.format(name=entity_name(entity, language))


def _inputs(bound: BoundRule, language: Language) -> list[str]:
    """The names of a score's tests, and of the diagnoses if they are inputs too."""
    tests = [value_words(test, "test", language) for test in bound.tests]
    return [*tests, entity_name(Entity("stay"), language)] if bound.is_coded else tests


def entity_name(entity: Entity, language: Language) -> str:
    """The words for an entity; those for the stay are about its diagnoses."""
    if entity.kind == "stay":
        return str(wordings(language)["question"]["diagnoses"])
    return value_words(entity.name, entity.kind, language)


def item_counts(draft: Draft) -> list[int]:
    """The number of items about each finding, which are the values that the question asks for.

    A finding of few values leaves its items to the others of its turn.
    """
    if draft.type == "IL":
        return [_LOOKUP_ITEMS]
    item_counts = [len(known_items(each)) for each in draft.findings]
    told = [each.call.tool.startswith("patient.") for each in draft.findings]
    # The course of a result is asked for with its first and its latest value.
    is_course = [each.kind == COURSE and not is_comparison(draft) for each in draft.findings]
    counts = [
        min(count, _MIXED_ITEMS if of_patient or of_course else _GATHERED_ITEMS)
        for count, of_patient, of_course in zip(item_counts, told, is_course, strict=True)
    ]
    least = _GATHERED_ITEMS * len(counts) + any(told)
    for number, count in enumerate(item_counts):
        counts[number] += max(min(count - counts[number], least - sum(counts)), 0)
    return counts


def known_items(finding: Finding) -> list[int]:
    """The numbers of the items whose values a finding has."""
    texts = finding_wordings(finding, "en")["items"]
    return [number for number, text in enumerate(texts) if _is_known(finding, text)]


def _is_known(finding: Finding, text: str) -> bool:
    """True if a finding has what an item states; few patients tell why they do not take a drug."""
    return "why" in finding.slots or "why" not in slots_of(text)
