{#
The SQL of each form of question, written once over events. `e` and `f` are the events of a question;
t1, t2 … are tables that a query derives. `pieces` are the schema's (schemas/); n_rank, sort and the like
are the question's operations (operations.toml).

Beside SQL as SQLite has it: VALUE(slot), AT_TIME(slot, column), BETWEEN_TIMES(slot, column, column),
JULIAN_DAY(time), AS_NUMBER(text), WHOLE_PERCENT(part, whole), and current_moment, which all become each
dialect's own, and TIED(column), which breaks ties of rows of the same time.
#}
{% from "pieces.sql" import as_names, codes, exact, extreme, first_of_each, follows, has_event, in_time,
   is_coded, is_kind, is_named, joined, measured, of_anyone, of_patient, of_person, of_persons, one_stay,
   one_unit, row_columns, same_person, stays_with, within with context %}

{% macro cost() %}
SELECT DISTINCT {{ pieces.charges }} FROM cost
WHERE {{ pieces.charge_type }} = '{{ e.table }}'
  AND {{ pieces.charge_event }} IN (SELECT {{ e.id }} FROM {{ e.table }} WHERE {{ is_named(e) }})
{% endmacro %}

{% macro route() %}SELECT DISTINCT {{ e.route }} FROM {{ e.table }} WHERE {{ is_named(e) }}{% endmacro %}

{% macro abbreviation() %}
{% for table in ("d_icd_diagnoses", "d_icd_procedures") %}
SELECT {{ table }}.long_title FROM {{ table }} WHERE {{ table }}.short_title = VALUE(abbreviation)
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
{% macro age() %}{{ about_stay(stays.table ~ ".age") }}{% endmacro %}
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
{% macro names_by_route() %}{{ of_one(e, codes(e), e.route ~ " = VALUE(drug_route)") }}{{ exact(e) }}{% endmacro %}

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
FROM {{ of_anyone(e, of_person() ~ " AND " ~ is_named(e)) }} AS t1
JOIN {{ of_anyone(f, of_person(), with_codes=true) }} AS t2 ON {{ same_person() }}
WHERE {{ follows(e, f) }}
{% endmacro %}

{% macro value() %}{{ of_name(e, e.value) }}{{ exact(e) }}{% endmacro %}
{% macro change() %}SELECT ({{ measured(e, 2) }}) - ({{ measured(e, 1) }}){% endmacro %}
{% macro compared() %}SELECT ({{ measured(e, 2) }}) {{ comparison }} ({{ measured(e, 1) }}){% endmacro %}
{% macro dose() %}{{ of_one(e, e.dose, is_named(e)) }}{{ exact(e) }}{% endmacro %}
{% macro total_dose() %}{{ of_one(e, "SUM(AS_NUMBER(" ~ e.dose ~ "))", is_named(e)) }}{% endmacro %}

{% macro aggregate() %}{{ of_name(e, agg_function ~ "(" ~ e.value ~ ")") }}{% endmacro %}
{% macro aggregates() %}{{ aggregate() }} GROUP BY STRFTIME('{{ unit_average }}', {{ e.time }}){% endmacro %}
{% macro total() %}{{ of_name(e, "SUM(" ~ e.value ~ ")") }}{% endmacro %}
{% macro total_of_any() %}{{ of_kind(e, "SUM(" ~ e.value ~ ")") }}{% endmacro %}
{% macro difference_of_totals() %}
SELECT ({{ total_of_any() }}) - ({{ of_kind(f, "SUM(" ~ f.value ~ ")") }})
{% endmacro %}

{% macro organism() %}
{{ of_one(e, e.organism, is_named(e) ~ " AND " ~ e.organism ~ " IS NOT NULL") }}{{ exact(e) }}
{% endmacro %}
{% macro has_organism() %}
SELECT COUNT(*) > 0 FROM (
  {{ of_one(e, e.organism, is_named(e) ~ " AND " ~ pieces.grown) }}{{ exact(e) }}
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
{% macro time_by_route() %}{{ of_one(e, e.time, e.route ~ " = VALUE(drug_route)") }}{{ exact(e) }}{% endmacro %}

{% macro time_of_both() %}
SELECT {{ e.time.of("t1") }}
FROM {{ of_anyone(e, is_named(e, "drug_name1") ~ " AND " ~ of_person()) }} AS t1
JOIN {{ of_anyone(e, is_named(e, "drug_name2") ~ " AND " ~ of_person()) }} AS t2 ON {{ same_person() }}
WHERE {{ within(e, f) }} {{ times.ordered("exact1", e.time.of("t1")) }}
{% endmacro %}

{% macro time_of_extreme() %}
{{ of_name(e, e.time) }} ORDER BY {{ e.value }} {{ sort }}, {{ times.ordered("exact1", e.time, e.id).removeprefix("ORDER BY ") }}
{% endmacro %}

{% macro is_beyond() %}{{ is_named(e) }} AND {{ e.value }} {{ comparison }} VALUE(vital_value){% endmacro %}
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
WHERE {{ e.key }} IN (
  SELECT patient.patientunitstayid FROM patient
  WHERE patient.uniquepid = VALUE(patient_id) AND NOT patient.hospitalid IN (
    SELECT patient.hospitalid FROM patient
    WHERE patient.uniquepid = VALUE(patient_id) AND patient.hospitaldischargetime IS NULL
  )
) AND {{ is_named(e) }} AND {{ in_time(e) }}
{% endmacro %}

{# EHRSQL 1.5 asks whether a value was in its range, EHRSQL 2024 whether none was outside. #}
{% macro normal() %}
{% set range = sign.range ~ "_lower AND " ~ sign.range ~ "_upper" %}
{% if schema == "ehrsql_mimic_iv" %}
{{ of_one(e, "1 - COUNT(*) > 0", is_named(e) ~ " AND NOT " ~ e.value ~ " BETWEEN " ~ range) }}
{% else %}
{{ of_one(e, "COUNT(*) > 0", is_named(e) ~ " AND " ~ e.value ~ " BETWEEN " ~ range) }}
{% endif %}
{% endmacro %}

{% macro count() %}{{ of_name(e, "COUNT(*)") }}{% endmacro %}
{% macro count_of_drugs() %}{{ of_one(e, "COUNT(" ~ pieces.drugs_counted ~ ")") }}{% endmacro %}
{% macro count_of_stays() %}{{ of_one(e, "COUNT(DISTINCT " ~ e.value ~ ")") }}{% endmacro %}
