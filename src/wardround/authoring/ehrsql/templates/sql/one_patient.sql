{#
The SQL of each form of question, written once over events. `e` and `f` are the events of a question;
t1, t2 … are tables that a query derives. `pieces` are the records' (records.py); n_rank, sort and the like
are the question's operations (operations.toml).

Beside SQL as SQLite has it: VALUE(slot), AT_TIME(slot, column), BETWEEN_TIMES(slot, column, column),
JULIAN_DAY(time), AS_NUMBER(text), WHOLE_PERCENT(part, whole), and current_moment, which all become each
dialect's own, and TIED(column), which breaks ties of rows of the same time.
#}
{% from "pieces.sql" import as_names, codes, exact, follows, in_time, is_coded, is_kind, is_named, measured,
   of_anyone, of_patient, of_person, one_stay, one_unit, same_person, within with context %}

{% macro cost() %}
SELECT DISTINCT {{ pieces.charges }} FROM {{ events.cost.table }}
WHERE {{ pieces.charge_type }} = '{{ pieces["charge_of_" ~ e.kind] }}'
  AND {{ pieces.charge_event }} IN (SELECT {{ e.id }} FROM {{ e.table }} WHERE {{ is_named(e) }})
{% endmacro %}

{% macro route() %}SELECT DISTINCT {{ e.columns.route }} FROM {{ e.table }} WHERE {{ is_named(e) }}{% endmacro %}

{% macro abbreviation() %}
{% for event in (events.diagnosis, events.procedure) %}
SELECT {{ event.columns.title }} FROM {{ event.label.table }} WHERE {{ event.label }} = VALUE(abbreviation)
{{ "UNION" if not loop.last }}
{% endfor %}
{% endmacro %}

{# A person, or a stay. #}

{% macro about_person(column) %}
SELECT {{ column }} FROM {{ pieces.persons }} WHERE {{ pieces.person }} = VALUE(patient_id)
{% endmacro %}
{% macro gender() %}{{ about_person(pieces.gender) }}{% endmacro %}
{% macro birth() %}{{ about_person(pieces.birth) }}{% endmacro %}

{% macro about_stay(column) %}SELECT {{ column }} FROM {{ stays.table }} WHERE {{ one_stay() }}{% endmacro %}
{% macro age() %}{{ about_stay(home.age) }}{% endmacro %}
{% macro insurance() %}{{ about_stay(pieces.insurance) }}{% endmacro %}
{% macro marital() %}{{ about_stay(pieces.marital) }}{% endmacro %}

{% macro length(table, condition) %}
SELECT JULIAN_DAY({{ table.end }}) - JULIAN_DAY({{ table.start }}) FROM {{ table.table }}
WHERE {{ condition }} AND {{ table.end }} IS NOT NULL {{ times.ordered("exact1", table.start) }}
{% endmacro %}
{% macro length_of_stay() %}{{ length(stays, one_stay()) }}{% endmacro %}
{% macro length_of_icu_stay() %}{{ length(units, one_unit()) }}{% endmacro %}

{% macro time_since(time) %}
{{ unit_count }} (JULIAN_DAY(current_moment) - JULIAN_DAY({{ time }}))
{% endmacro %}
{% macro elapsed_hospital() %}{{ about_stay(time_since(stays.start)) }}{% endmacro %}
{% macro elapsed_icu() %}
SELECT {{ time_since(units.start) }} FROM {{ units.table }} WHERE {{ one_unit() }}
{% endmacro %}

{# Events of one patient that meet a condition in the time of the question: some of their columns. #}

{% macro of_one(e, columns, condition="TRUE", slot="global1") %}
SELECT {{ columns }} FROM {{ e.table }}
WHERE {{ of_patient(e, slot) }} AND {{ condition }} AND {{ in_time(e, slot) }}
{% endmacro %}
{% macro of_kind(e, columns) %}{{ of_one(e, columns, is_kind(e)) }}{% endmacro %}
{% macro of_name(e, columns) %}{{ of_one(e, columns, is_kind(e) ~ " AND " ~ is_named(e)) }}{% endmacro %}

{% macro names() %}
{% call as_names(e) %}{{ of_one(e, codes(e), is_coded(e)) }}{{ exact(e) }}{% endcall %}
{% endmacro %}
{% macro all_names() %}{{ of_one(e, codes(e), is_coded(e)) }}{% endmacro %}
{% macro names_by_route() %}{{ of_one(e, codes(e), e.columns.route ~ " = VALUE(drug_route)") }}{{ exact(e) }}{% endmacro %}

{% macro names_repeated() %}
{% call as_names(e) %}
SELECT {{ codes(e, "t1") }} FROM (
  {{ of_one(e, codes(e) ~ ", COUNT(" ~ e.time ~ ") AS c1") }} GROUP BY {{ codes(e) }}
) AS t1 WHERE t1.c1 {{ n_times }}
{% endcall %}
{% endmacro %}

{% macro names_new() %}{{ of_one(e, codes(e), slot="global2") }} EXCEPT {{ of_one(e, codes(e)) }}{% endmacro %}

{% macro names_after() %}
SELECT {{ codes(f, "t2") }}
FROM {{ of_anyone(e, of_person(e) ~ " AND " ~ is_named(e)) }} AS t1
JOIN {{ of_anyone(f, of_person(f), with_codes=true) }} AS t2 ON {{ same_person() }}
WHERE {{ follows(e, f) }}
{% endmacro %}

{% macro value() %}{{ of_name(e, e.columns.value) }}{{ exact(e) }}{% endmacro %}
{% macro change() %}SELECT ({{ measured(e, 2) }}) - ({{ measured(e, 1) }}){% endmacro %}
{% macro compared() %}SELECT ({{ measured(e, 2) }}) {{ comparison }} ({{ measured(e, 1) }}){% endmacro %}
{% macro dose() %}{{ of_one(e, e.columns.dose, is_named(e)) }}{{ exact(e) }}{% endmacro %}
{% macro total_dose() %}{{ of_one(e, "SUM(AS_NUMBER(" ~ e.columns.dose ~ "))", is_named(e)) }}{% endmacro %}

{% macro aggregate() %}{{ of_name(e, agg_function ~ "(" ~ e.columns.value ~ ")") }}{% endmacro %}
{% macro aggregates() %}{{ aggregate() }} GROUP BY STRFTIME('{{ unit_average }}', {{ e.time }}){% endmacro %}
{% macro total() %}{{ of_name(e, "SUM(" ~ e.columns.value ~ ")") }}{% endmacro %}
{% macro total_of_any() %}{{ of_kind(e, "SUM(" ~ e.columns.value ~ ")") }}{% endmacro %}
{% macro difference_of_totals() %}
SELECT ({{ total_of_any() }}) - ({{ of_kind(f, "SUM(" ~ f.columns.value ~ ")") }})
{% endmacro %}

{% macro organism() %}
{{ of_one(e, e.columns.organism, is_named(e) ~ " AND " ~ e.columns.organism ~ " IS NOT NULL") }}{{ exact(e) }}
{% endmacro %}
{% macro has_organism() %}
SELECT COUNT(*) > 0 FROM (
  {{ of_one(e, e.columns.organism, is_named(e) ~ " AND " ~ pieces.grown) }}{{ exact(e) }}
) AS t1
{% endmacro %}

{% macro admission_type() %}{{ of_one(e, pieces.admission_type) }}{{ exact(e) }}{% endmacro %}
{% macro admission_by_route() %}
{{ of_one(e, e.time, pieces.admission_route ~ " = VALUE(admission_route)") }}{{ exact(e) }}
{% endmacro %}

{# Times of events. #}

{% macro time() %}{{ of_name(e, e.time) }}{{ exact(e) }}{% endmacro %}
{% macro time_of_any() %}{{ of_kind(e, e.time) }}{{ exact(e) }}{% endmacro %}
{% macro times_of_any() %}{{ of_kind(e, e.time) }}{% endmacro %}
{% macro time_by_route() %}{{ of_one(e, e.time, e.columns.route ~ " = VALUE(drug_route)") }}{{ exact(e) }}{% endmacro %}

{% macro time_of_both() %}
SELECT {{ e.time.of("t1") }}
FROM {{ of_anyone(e, is_named(e, "drug_name1") ~ " AND " ~ of_person(e)) }} AS t1
JOIN {{ of_anyone(e, is_named(e, "drug_name2") ~ " AND " ~ of_person(e)) }} AS t2 ON {{ same_person() }}
WHERE {{ within(e, f) }} {{ times.ordered("exact1", e.time.of("t1")) }}
{% endmacro %}

{% macro time_of_extreme() %}
{{ of_name(e, e.time) }} ORDER BY {{ e.columns.value }} {{ sort }}, {{ times.ordered("exact1", e.time, e.id).removeprefix("ORDER BY ") }}
{% endmacro %}

{% macro is_beyond() %}{{ is_named(e) }} AND {{ e.columns.value }} {{ comparison }} VALUE(vital_value){% endmacro %}
{% macro time_when_beyond() %}{{ of_one(e, e.time, is_beyond()) }}{{ exact(e) }}{% endmacro %}

{% macro elapsed() %}
SELECT {{ time_since(e.time) }} FROM {{ e.table }}
WHERE {{ of_patient(e) }} AND {{ is_kind(e) }} AND {{ is_named(e) }}{{ exact(e) }}
{% endmacro %}
{% macro elapsed_of_any() %}
SELECT {{ time_since(e.time) }} FROM {{ e.table }} WHERE {{ of_patient(e) }} AND {{ is_kind(e) }}{{ exact(e) }}
{% endmacro %}

{# Existence and counts. #}

{% macro has() %}{{ of_name(e, "COUNT(*) > 0") }}{% endmacro %}
{% macro has_any() %}{{ of_kind(e, "COUNT(*) > 0") }}{% endmacro %}
{% macro has_beyond() %}{{ of_one(e, "COUNT(*) > 0", is_beyond()) }}{% endmacro %}
{% macro been_to_emergency() %}{{ of_one(e, "COUNT(*) > 0", pieces.emergency) }}{% endmacro %}
{% macro has_one_of() %}
{{ of_one(e, "COUNT(*) > 0", codes(e) ~ " IN (VALUE(drug_name1), VALUE(drug_name2), VALUE(drug_name3))") }}
{% endmacro %}

{% macro has_elsewhere() %}
SELECT COUNT(*) > 0 FROM {{ e.table }}
WHERE {{ e.stay or e.key }} IN (
  SELECT {{ home.key }} FROM {{ home.table }}
  WHERE {{ home.person }} = VALUE(patient_id) AND NOT {{ pieces.hospital }} IN (
    SELECT {{ pieces.hospital }} FROM {{ home.table }}
    WHERE {{ home.person }} = VALUE(patient_id) AND {{ stays.end }} IS NULL
  )
) AND {{ is_named(e) }} AND {{ in_time(e) }}
{% endmacro %}

{# EHRSQL 1.5 asks whether a value was in its range, EHRSQL 2024 whether none was outside. #}
{% macro normal() %}
{% set range = sign.range ~ "_lower AND " ~ sign.range ~ "_upper" %}
{% if edition == "2024" %}
{{ of_one(e, "1 - COUNT(*) > 0", is_named(e) ~ " AND NOT " ~ e.columns.value ~ " BETWEEN " ~ range) }}
{% else %}
{{ of_one(e, "COUNT(*) > 0", is_named(e) ~ " AND " ~ e.columns.value ~ " BETWEEN " ~ range) }}
{% endif %}
{% endmacro %}

{% macro count() %}{{ of_name(e, "COUNT(*)") }}{% endmacro %}
{% macro count_of_drugs() %}{{ of_one(e, "COUNT(" ~ pieces.drugs_counted ~ ")") }}{% endmacro %}
{% macro count_of_stays() %}{{ of_one(e, "COUNT(DISTINCT " ~ e.columns.value ~ ")") }}{% endmacro %}
