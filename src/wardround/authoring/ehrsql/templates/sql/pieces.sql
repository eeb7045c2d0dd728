{#
Pieces that the forms of EHRSQL's questions are put together from.

`e` is an event of the records (records.py); `home`, `stays` and `units` are the tables of persons, hospital
stays and unit stays; `times` spells the question's time templates (forms.py). Where a condition always
holds it is TRUE, which question_sql.py removes.
#}

{# The event's columns. #}

{% macro codes(e, alias="") %}
{% for code in e.codes %}{{ code.of(alias) if alias else code }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}

{% macro row(columns) %}
{{ columns[0] if columns | length == 1 else "(" ~ columns | join(", ") ~ ")" }}
{% endmacro %}

{# A select of codes, turned into one of their names where the schema has a dictionary. #}
{% macro as_names(e) %}
{% if e.dictionary %}
SELECT {{ e.dictionary.label }} FROM {{ e.dictionary.label.table }}
WHERE {{ row(e.dictionary.codes) }} IN ({{ caller() }})
{% else %}
{{ caller() }}
{% endif %}
{% endmacro %}

{% macro person(e) %}{{ e.person or home.person }}{% endmacro %}

{# Conditions on the rows of the event's table. #}

{% macro is_kind(e) %}{{ e.where or "TRUE" }}{% endmacro %}

{% macro is_coded(e) %}{{ is_kind(e) }} AND {{ e.present or "TRUE" }}{% endmacro %}

{% macro is_named(e, slot="") %}
{% set name = "'" ~ e.names[0] ~ "'" if e.names else "VALUE(" ~ (slot or e.slot) ~ ")" %}
{% if e.names | length > 1 %}
{{ codes(e) }} IN ('{{ e.names | join("', '") }}')
{% elif e.dictionary %}
{{ row(e.codes) }} IN (
  SELECT {{ e.dictionary.codes | join(", ") }} FROM {{ e.dictionary.label.table }}
  WHERE {{ e.dictionary.label }} = {{ name }} AND {{ e.dictionary.where or "TRUE" }}
)
{% elif e.codes %}
{{ codes(e) }} = {{ name }}
{% else %}
{{ e.columns.value }} IS NOT NULL
{% endif %}
{% endmacro %}

{% macro in_time(e, slot="global1") %}{{ times.condition(slot, e.filtered_by or e.time) }}{% endmacro %}

{% macro of_patient(e, slot="global1") %}
{% if e.on == "unit" %}
{{ e.key }} IN (
  SELECT {{ units.key }} FROM {{ units.table }}
  WHERE {{ units.parent }} IN ({{ patient_stays(slot) }}){{ times.visit(slot, units, "icu") }}
)
{% elif e.on == "stay" %}
{{ e.key }} IN ({{ patient_stays(slot) }})
{% else %}
{{ e.key }} = VALUE(patient_id)
{% if times.visit(slot, stays, "hospital") %}AND {{ e.stay or stays.key.of(e.table) }} IN ({{ patient_stays(slot) }}){% endif %}
{% if times.visit(slot, units, "icu") %}
AND {{ e.unit or units.key.of(e.table) }} IN (SELECT {{ units.key }} FROM {{ units.table }} WHERE {{ one_unit(slot) }})
{% endif %}
{% endif %}
{% endmacro %}

{# The event is one of a person of some age, at the event or else at the admission: `test` compares it. #}

{% macro aged(e, test) %}
{% if e.age %}{{ e.age }} {{ test }}{% else %}
{{ home.key.of(e.table) }} IN (SELECT {{ home.key }} FROM {{ home.table }} WHERE {{ home.aged }} {{ test }})
{% endif %}
{% endmacro %}

{# The end of a select that takes the row of the exact time. #}
{% macro exact(e, slot="exact1") %} {{ times.exact(slot, e.time, e.id) }}{% endmacro %}

{# A patient's stays; the condition of one_stay and one_unit ends its select. #}

{% macro patient_stays(slot="") %}
SELECT {{ stays.key }} FROM {{ stays.table }}
WHERE {{ stays.parent }} = VALUE(patient_id){{ times.visit(slot, stays, "hospital") }}
{% endmacro %}

{% macro one_stay() %}
{{ stays.parent }} = VALUE(patient_id){{ times.visit("global1", stays, "hospital") }}
{% endmacro %}

{% macro one_unit(slot="global1") %}
{{ units.parent }} IN ({{ patient_stays() }}){{ times.visit(slot, units, "icu") }}
{% endmacro %}

{# Whole selects. #}

{% macro measured(e, number) %}
SELECT {{ e.columns.value }} FROM {{ e.table }}
WHERE {{ of_patient(e, "global" ~ number) }} AND {{ is_kind(e) }} AND {{ is_named(e) }}
  AND {{ in_time(e, "global" ~ number) }}{{ exact(e, "exact" ~ number) }}
{% endmacro %}

{% macro stays_of_units(rows) %}
SELECT {{ units.parent }} FROM {{ units.table }} WHERE {{ units.key }} IN ({{ rows }})
{% endmacro %}

{% macro stays_with(e) %}
{% set rows %}SELECT {{ e.stay or e.key }} FROM {{ e.table }} WHERE {{ is_kind(e) }} AND {{ is_named(e) }}{% endset %}
{{ stays_of_units(rows) if e.on == "unit" else rows }}
{% endmacro %}

{# The condition on the table of persons that they have the event, in the time asked for. #}
{% macro has_event(e) %}
{% set rows %}
SELECT {{ e.key }} FROM {{ e.table }} WHERE {{ is_kind(e) }} AND {{ is_named(e) }} AND {{ in_time(e) }}
{% endset %}
{% if e.on == "stay" %}
{{ home.stay }} IN ({{ rows }})
{% else %}
{{ home.key }} IN ({{ rows if e.key.name == home.key.name else stays_of_units(rows) }})
{% endif %}
{% endmacro %}

{# Events of all persons: the event's table joined with that of its persons. #}

{% macro joined(e) %}
{{ e.table }}
{% if not e.person and e.table != home.table %}JOIN {{ home.table }} ON {{ home.key.of(e.table) }} = {{ home.key }}{% endif %}
{% endmacro %}

{% macro row_columns(e, with_codes=false) %}
{{ person(e) }}, {% if with_codes %}{{ codes(e) }}, {% endif %}{{ e.time }}
{% if times.same_visit %}, {{ e.stay or home.stay }}{% endif %}
{% endmacro %}

{% macro of_anyone(e, condition="TRUE", with_codes=false) %}
(SELECT {{ row_columns(e, with_codes) }} FROM {{ joined(e) }} WHERE {{ condition }} AND {{ in_time(e) }})
{% endmacro %}

{# Each person's first or last time of the event named, or first time of each code. #}

{% macro extreme(e, function) %}
(
  SELECT {{ person(e) }}, {{ function }}({{ e.time }}) AS {{ e.time.name }} FROM {{ joined(e) }}
  WHERE {{ is_named(e) }} GROUP BY {{ person(e) }}
)
{% endmacro %}

{% macro first_of_each(e) %}
(
  SELECT {{ person(e) }}, {{ codes(e) }}, MIN({{ e.time }}) AS {{ e.time.name }} FROM {{ joined(e) }}
  GROUP BY {{ person(e) }}, {{ codes(e) }}
)
{% endmacro %}

{# The condition on the patient and the visit, where the table of persons is joined. #}
{% macro of_person(e) %}
{{ person(e) }} = VALUE(patient_id)
{% if times.visit("global1", stays, "hospital") %}AND {{ e.stay or home.stay }} IN ({{ patient_stays("global1") }}){% endif %}
{% endmacro %}

{# Events t1 and t2 of a person, within the time asked for, and t1 before t2. #}

{% macro within(e, f) %}{{ times.between(e.time.of("t1"), f.time.of("t2"), home.stay) }}{% endmacro %}

{% macro follows(e, f) %}{{ times.before(e, f) }} AND {{ within(e, f) }}{% endmacro %}

{% macro same_person(one="t1", other="t2") %}{{ home.person.of(one) }} = {{ home.person.of(other) }}{% endmacro %}
