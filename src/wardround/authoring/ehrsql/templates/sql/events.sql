{#
A select of the events `e` of some persons or stays (`keys`): key, time, stay, unit stay, name, value, its
unit and route. `measured` is the column of the value; `names`, if any, are the names to select.
#}
{% macro events_of() %}
{% set label = e.label or "NULL" %}
SELECT {{ e.key }}, {{ e.filtered_by or e.time }}, {{ e.columns.get("admission") or (stays.key.of(e.table) if e.on == "person" and not e.person else "NULL") }},
  {{ e.columns.get("stay") or "NULL" }}, {{ label }}, {{ measured or "NULL" }}, {{ e.columns.get("unit") or "NULL" }},
  {{ (pieces.get("admission_route") if e.kind == "admission" else e.columns.get("route")) or "NULL" }}
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
