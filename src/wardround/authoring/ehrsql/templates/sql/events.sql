{#
A select of the events `e` of some persons or stays (`keys`): key, time, stay, name, value and route.
`measured` is the column of the value; `names`, if any, are the names to select.
#}
{% macro events_of() %}
{% set label = e.dictionary.label if e.dictionary else e.codes[0] if e.codes else "NULL" %}
{% set is_admission = e.on == "person" and e.table == stays.table and not e.slot %}
SELECT {{ e.key }}, {{ e.filtered_by or e.time }}, {{ stays.key.of(e.table) if e.on == "person" else "NULL" }},
  {{ label }}, {{ measured or "NULL" }}, {{ pieces.admission_route if is_admission else e.route or "NULL" }}
FROM {{ e.table }}
{% if e.dictionary %}
JOIN {{ e.dictionary.label.table }}
  ON {% for code in e.codes %}{{ code }} = {{ code.of(e.dictionary.label.table) }} AND {% endfor %}
  {{ e.dictionary.where or "TRUE" }}
{% endif %}
WHERE {{ e.key }} IN ({{ keys }}) AND {{ e.where or "TRUE" }} AND {{ e.present or "TRUE" }}
{% if e.slot == "vital_name" %}AND NOT {{ measured }} IS NULL{% endif %}
{% if names %}AND {{ label }} IN ({{ names }}){% endif %}
ORDER BY {{ e.id }}
{% endmacro %}
