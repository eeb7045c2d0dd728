{#
The SQL of each form of question about a group of patients, as in one_patient.sql.
#}
{% from "pieces.sql" import aged, as_names, codes, extreme, first_of_each, follows, has_event, in_time, is_kind,
   is_named, joined, of_anyone, one_stay, person, row_columns, same_person, stays_with, within with context %}

{% macro current() %}
SELECT COUNT(DISTINCT {{ stays.parent }}) FROM {{ stays.table }} WHERE {{ stays.end }} IS NULL
{% endmacro %}
{% macro current_aged() %}{{ current() }} AND {{ home.aged }} {{ age_group }}{% endmacro %}

{% macro patients() %}
{% if e.person %}SELECT COUNT(DISTINCT {{ e.person }}) FROM {{ own_events() }}{% else %}
SELECT COUNT(DISTINCT {{ home.person }}) FROM {{ home.table }} WHERE {{ has_event(e) }}{% endif %}
{% endmacro %}
{% macro patient_ids() %}
{% if e.person %}SELECT DISTINCT {{ e.person }} FROM {{ own_events() }}{% else %}
SELECT {{ home.person }} FROM {{ home.table }} WHERE {{ has_event(e) }}{% endif %}
{% endmacro %}
{% macro own_events() %}
{{ e.table }} WHERE {{ is_kind(e) }} AND {{ is_named(e) }} AND {{ in_time(e) }}
{% endmacro %}

{% macro patients_admitted() %}
SELECT COUNT(DISTINCT {{ e.key }}) FROM {{ e.table }} WHERE {{ in_time(e) }}
{% endmacro %}
{% macro patients_discharged() %}
SELECT COUNT(DISTINCT {{ stays.parent }}) FROM {{ stays.table }}
WHERE {{ stays.end }} IS NOT NULL AND {{ times.condition("global1", stays.end) }}
{% endmacro %}

{% macro patients_repeated() %}
SELECT COUNT(DISTINCT {{ home.person.of("t1") }}) FROM (
  SELECT {{ person(e) }}, COUNT(*) AS c1 FROM {{ joined(e) }}
  WHERE {{ is_named(e) }} AND {{ in_time(e) }} GROUP BY {{ person(e) }}
) AS t1 WHERE t1.c1 {{ n_times }}
{% endmacro %}

{% macro patients_after() %}
SELECT COUNT(DISTINCT {{ home.person.of("t1") }})
FROM {{ of_anyone(e, is_named(e)) }} AS t1
JOIN {{ of_anyone(f, is_named(f)) }} AS t2 ON {{ same_person() }}
WHERE {{ follows(e, f) }}
{% endmacro %}

{% macro not_returned() %}
SELECT (
  SELECT COUNT(DISTINCT {{ home.person.of("t1") }}) FROM {{ of_anyone(e, is_named(e)) }} AS t1
) - (
  SELECT COUNT(DISTINCT {{ home.person.of("t2") }}) FROM {{ of_anyone(e, is_named(e)) }} AS t2
  JOIN {{ stays.table }} ON {{ home.person.of("t2") }} = {{ stays.parent }}
  WHERE {{ e.time.of("t2") }} < {{ stays.start }} AND {{ times.condition("global1", stays.start) }}
    AND {{ times.between(e.time.of("t2"), stays.start, home.stay) }}
)
{% endmacro %}

{% macro cases() %}SELECT COUNT(*) FROM {{ e.table }} WHERE {{ is_named(e) }} AND {{ in_time(e) }}{% endmacro %}

{% macro cost_of_stays_with() %}
SELECT {{ agg_function }}(t1.c1) FROM (
  SELECT SUM({{ pieces.charges }}) AS c1 FROM {{ events.cost.table }}
  WHERE {{ pieces.charge_stay }} IN ({{ stays_with(e) }}) AND {{ times.condition("global1", events.cost.time) }}
  GROUP BY {{ pieces.charge_stay }}
) AS t1
{% endmacro %}

{% macro stays_by_period() %}
SELECT {{ agg_function }}(t1.c1) FROM (
  SELECT COUNT(DISTINCT {{ e.key }}) AS c1 FROM {{ e.table }} WHERE {{ is_named(e) }} AND {{ in_time(e) }}
  GROUP BY STRFTIME('{{ unit_average }}', {{ e.time }})
) AS t1
{% endmacro %}

{# The commonest codes: the first ranks, with ties. #}

{% macro ranked(e, alias="") %}{{ codes(e, alias) }}, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS c1{% endmacro %}

{% macro commonest(condition) %}
{% call as_names(e) %}
SELECT {{ codes(e, "t1") }} FROM (
  SELECT {{ ranked(e) }} FROM {{ e.table }} WHERE {{ condition }} AND {{ in_time(e) }} GROUP BY {{ codes(e) }}
) AS t1 WHERE t1.c1 <= {{ n_rank }}
{% endcall %}
{% endmacro %}
{% macro top() %}{{ commonest(is_kind(e)) }}{% endmacro %}
{% macro top_aged() %}{{ commonest(aged(e, age_group)) }}{% endmacro %}

{% macro commonest_with(time, condition="TRUE") %}
{% call as_names(f) %}
SELECT {{ codes(f, "t3") }} FROM (
  SELECT {{ ranked(f, "t2") }}
  FROM {{ of_anyone(e, is_named(e)) }} AS t1
  JOIN {{ of_anyone(f, condition, with_codes=true) }} AS t2 ON {{ same_person() }}
  WHERE {{ time }} GROUP BY {{ codes(f, "t2") }}
) AS t3 WHERE t3.c1 <= {{ n_rank }}
{% endcall %}
{% endmacro %}
{% macro top_together() %}{{ commonest_with(within(e, f)) }}{% endmacro %}
{% macro top_after() %}{{ commonest_with(follows(e, f)) }}{% endmacro %}
{# Where the table of persons is joined. #}
{% macro aged_one(e) %}{{ e.age or home.aged }} {{ age_group }}{% endmacro %}
{% macro top_after_aged() %}{{ commonest_with(follows(e, f), aged_one(f)) }}{% endmacro %}
{% macro top_after_gender() %}
{{ commonest_with(follows(e, f), pieces.of_gender.format(t=f.table) ~ " AND " ~ aged_one(f)) }}
{% endmacro %}

{#
Death after the first time of a diagnosis. A date of death is its midnight: a death on the day of the
diagnosis stands before it, so the time between them counts both ways.
#}
{% macro died_after() %}
SELECT COUNT(DISTINCT {{ home.person.of("t2") }}) FROM (
  SELECT {{ home.person.of("t1") }}, {{ e.time.of("t1") }}
  {% if times.same_visit %}, {{ home.stay.of("t1") }}{% endif %}
  FROM (
    SELECT {{ row_columns(e) }},
      DENSE_RANK() OVER (PARTITION BY {{ person(e) }} ORDER BY {{ e.time }}) AS c1
    FROM {{ joined(e) }} WHERE {{ is_named(e) }}
  ) AS t1
  WHERE t1.c1 = 1 AND {{ times.condition("global1", e.time.of("t1")) }}
) AS t2
JOIN ({{ pieces.deaths_in_stays if times.same_visit else pieces.deaths_of_persons }}) AS t3
  ON {{ same_person("t2", "t3") }}
WHERE {{ times.condition("global1", "t3.died") }} AND (
  {{ times.between(e.time.of("t2"), "t3.died", home.stay) }}
  OR {{ times.between("t3.died", e.time.of("t2"), home.stay) }}
)
{% endmacro %}

{#
Survival: whole percents in EHRSQL 1.5, a share in EHRSQL 2024. A person counts once, by the first time of
the diagnosis, if that is long enough ago (C.1).
#}

{% macro days(end, start) %}JULIAN_DAY({{ end }}) - JULIAN_DAY({{ start }}){% endmacro %}
{% macro deaths_of(alias) %}{{ pieces.deaths.format(t=alias) }}{% endmacro %}
{% macro is_past(alias, comparison) %}
{{ days("current_moment", e.time.of(alias)) }} {{ comparison }} {{ n_survival_period }}
{% endmacro %}

{% macro percent_alive(alias) %}
WHOLE_PERCENT(SUM(CASE WHEN {{ pieces.death }} IS NULL THEN 1
  WHEN {{ days(pieces.death, e.time.of(alias)) }} > {{ n_survival_period }} THEN 1 ELSE 0 END), COUNT(*))
{% endmacro %}
{% macro is_alive(alias) %}
(CASE WHEN {{ days(pieces.death, e.time.of(alias)) }} < {{ n_survival_period }} THEN 0 ELSE 1 END) AS c1
{% endmacro %}

{% macro survival() %}
{% if edition == "2024" %}
SELECT AVG(t2.c1) FROM (
  SELECT {{ is_alive("t1") }} FROM {{ extreme(e, "MIN") }} AS t1 {{ deaths_of("t1") }}
  WHERE {{ is_past("t1", ">=") }}
) AS t2
{% else %}
SELECT {{ percent_alive("t2") }} FROM (
  SELECT {{ home.person.of("t1") }}, {{ e.time.of("t1") }} FROM {{ extreme(e, "MIN") }} AS t1
  WHERE {{ is_past("t1", ">") }}
) AS t2 {{ deaths_of("t2") }}
{% endif %}
{% endmacro %}

{% macro treated() %}
{{ extreme(e, "MIN") }} AS t1
JOIN {{ extreme(f, "MAX") }} AS t2 ON {{ same_person() }} {{ deaths_of("t1") }}
{% endmacro %}
{% macro survival_treated() %}
{% if edition == "2024" %}
SELECT AVG(t3.c1) FROM (
  SELECT {{ is_alive("t1") }} FROM {{ treated() }}
  WHERE {{ is_past("t1", ">=") }} AND {{ e.time.of("t1") }} < {{ f.time.of("t2") }}
) AS t3
{% else %}
SELECT {{ percent_alive("t1") }} FROM {{ treated() }}
WHERE {{ is_past("t1", ">") }} AND {{ e.time.of("t1") }} < {{ f.time.of("t2") }}
{% endif %}
{% endmacro %}

{% macro top_mortality() %}
{% call as_names(e) %}
{% if edition == "2024" %}
SELECT {{ codes(e, "t4") }} FROM (
  SELECT {{ codes(e, "t3") }}, DENSE_RANK() OVER (ORDER BY t3.c2 ASC) AS c3 FROM (
    SELECT {{ codes(e, "t2") }}, AVG(t2.c1) AS c2 FROM (
      SELECT {{ codes(e, "t1") }}, {{ is_alive("t1") }} FROM {{ first_of_each(e) }} AS t1 {{ deaths_of("t1") }}
      WHERE {{ is_past("t1", ">=") }}
    ) AS t2 GROUP BY {{ codes(e, "t2") }}
  ) AS t3
) AS t4 WHERE t4.c3 <= {{ n_rank }}
{% else %}
SELECT {{ codes(e, "t4") }} FROM (
  SELECT {{ codes(e, "t3") }}, DENSE_RANK() OVER (ORDER BY t3.c1 DESC) AS c2 FROM (
    SELECT {{ codes(e, "t1") }}, 100 - {{ percent_alive("t1") }} AS c1
    FROM {{ first_of_each(e) }} AS t1 {{ deaths_of("t1") }}
    WHERE {{ is_past("t1", ">") }} GROUP BY {{ codes(e, "t1") }}
  ) AS t3
) AS t4 WHERE t4.c2 <= {{ n_rank }}
{% endif %}
{% endcall %}
{% endmacro %}

{# In eICU a current stay may have several unit stays, each with the age. #}
{% macro percentile() %}
{% set ages %}(SELECT {{ home.age }} FROM {{ stays.table }} WHERE {{ one_stay() }}){% endset %}
{% set same_age %}{{ "IN" if units_of_one_table else "=" }} {{ ages }}{% endset %}
SELECT DISTINCT t1.c1 FROM (
  SELECT {{ e.columns.value }}, PERCENT_RANK() OVER (ORDER BY {{ e.columns.value }}) AS c1 FROM {{ e.table }}
  WHERE {{ is_named(e) }} AND {% if e.age %}{{ e.age }} {{ same_age }}{% else %}
    {{ home.key.of(e.table) }} IN (SELECT {{ home.key }} FROM {{ home.table }} WHERE {{ home.age }} {{ same_age }})
  {% endif %}
) AS t1 WHERE {{ e.columns.value.of("t1") }} = VALUE(lab_value)
{% endmacro %}
