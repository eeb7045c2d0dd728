-- The clinical knowledge base as SQL, for SQLite: a table per entry, made of tables of the hospital
-- and of those of the entries that it is built on. Each must have rows in a hospital of 100 people.

CREATE TEMP TABLE labs AS
SELECT hadm_id, label, charttime, valuenum
FROM labevents JOIN d_labitems USING (itemid) WHERE valuenum IS NOT NULL;
CREATE INDEX temp.labs_at ON labs (hadm_id, charttime, label);
CREATE TEMP TABLE charted AS
SELECT stay_id, label, charttime, valuenum
FROM chartevents JOIN d_items USING (itemid) WHERE valuenum IS NOT NULL;
CREATE INDEX temp.charted_at ON charted (stay_id, charttime, label);

-- Pulse Pressure
CREATE TEMP TABLE pulse_pressure AS
SELECT
  a.stay_id,
  a.charttime,
  a.valuenum - b.valuenum AS value
FROM charted AS a
JOIN charted AS b
  ON b.stay_id = a.stay_id
  AND b.charttime = a.charttime
  AND b.label = 'arterial blood pressure diastolic'
WHERE
  a.label = 'arterial blood pressure systolic';

-- Mean Arterial Pressure
CREATE TEMP TABLE mean_arterial_pressure AS
SELECT
  p.stay_id,
  p.charttime,
  c.valuenum + p.value / 3.0 AS value
FROM pulse_pressure AS p
JOIN charted AS c
  ON c.stay_id = p.stay_id
  AND c.charttime = p.charttime
  AND c.label = 'arterial blood pressure diastolic';

-- Shock Index
CREATE TEMP TABLE shock_index AS
SELECT
  a.stay_id,
  a.charttime,
  a.valuenum / b.valuenum AS value
FROM charted AS a
JOIN charted AS b
  ON b.stay_id = a.stay_id
  AND b.charttime = a.charttime
  AND b.label = 'arterial blood pressure systolic'
WHERE
  a.label = 'heart rate';

-- Modified Shock Index
CREATE TEMP TABLE modified_shock_index AS
SELECT
  m.stay_id,
  m.charttime,
  c.valuenum / m.value AS value
FROM mean_arterial_pressure AS m
JOIN charted AS c
  ON c.stay_id = m.stay_id AND c.charttime = m.charttime AND c.label = 'heart rate';

-- Age Shock Index
CREATE TEMP TABLE age_shock_index AS
SELECT
  s.stay_id,
  s.charttime,
  a.age * s.value AS value
FROM shock_index AS s
JOIN icustays AS i
  USING (stay_id)
JOIN admissions AS a
  USING (hadm_id);

-- Raised Shock Index
CREATE TEMP TABLE raised_shock_index AS
SELECT
  *
FROM shock_index
WHERE
  value >= 0.9;

-- Arterial Hypotension
CREATE TEMP TABLE arterial_hypotension AS
SELECT
  *
FROM mean_arterial_pressure
WHERE
  value < 65;

-- Haemodynamic Instability
CREATE TEMP TABLE haemodynamic_instability AS
SELECT DISTINCT
  h.stay_id
FROM arterial_hypotension AS h
JOIN raised_shock_index AS r
  USING (stay_id, charttime);

-- Tachycardia
CREATE TEMP TABLE tachycardia AS
SELECT
  stay_id,
  charttime
FROM charted
WHERE
  label = 'heart rate' AND valuenum > 100;

-- Hyperlactataemia
CREATE TEMP TABLE hyperlactataemia AS
SELECT
  hadm_id,
  charttime
FROM labs
WHERE
  label = 'lactate' AND valuenum > 2;

-- Vasopressor
CREATE TEMP TABLE vasopressor AS
SELECT
  hadm_id,
  starttime,
  drug
FROM prescriptions
WHERE
  drug IN ('norepinephrine', 'vasopressin', 'phenylephrine');

-- Vasopressor-dependent Shock
CREATE TEMP TABLE vasopressor_dependent_shock AS
SELECT DISTINCT
  hadm_id
FROM vasopressor
WHERE
  hadm_id IN (
    SELECT
      hadm_id
    FROM hyperlactataemia
  )
  AND hadm_id IN (
    SELECT
      i.hadm_id
    FROM arterial_hypotension
    JOIN icustays AS i
      USING (stay_id)
  );

-- Hypoxaemia
CREATE TEMP TABLE hypoxaemia AS
SELECT
  stay_id,
  charttime
FROM charted
WHERE
  label = 'o2 saturation pulseoxymetry' AND valuenum < 90;

-- Tachypnoea
CREATE TEMP TABLE tachypnoea AS
SELECT
  stay_id,
  charttime
FROM charted
WHERE
  label = 'respiratory rate' AND valuenum > 20;

-- Respiratory Distress
CREATE TEMP TABLE respiratory_distress AS
SELECT DISTINCT
  stay_id,
  charttime
FROM hypoxaemia
JOIN tachypnoea
  USING (stay_id, charttime);

-- Acidaemia
CREATE TEMP TABLE acidaemia AS
SELECT
  hadm_id,
  charttime
FROM labevents
WHERE
  itemid = 50820 AND valuenum < 7.35;

-- Serum Anion Gap
CREATE TEMP TABLE serum_anion_gap AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum - (
    b.valuenum + c.valuenum
  ) AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'chloride'
JOIN labs AS c
  ON c.hadm_id = a.hadm_id AND c.charttime = a.charttime AND c.label = 'bicarbonate'
WHERE
  a.label = 'sodium';

-- Corrected Anion Gap
CREATE TEMP TABLE corrected_anion_gap AS
SELECT
  g.hadm_id,
  g.charttime,
  g.value + 2.5 * (
    4.0 - l.valuenum
  ) AS value
FROM serum_anion_gap AS g
JOIN labs AS l
  ON l.hadm_id = g.hadm_id AND l.charttime = g.charttime AND l.label = 'albumin';

-- High-gap Metabolic Acidosis
CREATE TEMP TABLE high_gap_metabolic_acidosis AS
SELECT
  g.hadm_id,
  g.charttime
FROM corrected_anion_gap AS g
JOIN labs AS l
  ON l.hadm_id = g.hadm_id AND l.charttime = g.charttime AND l.label = 'bicarbonate'
WHERE
  g.value > 12 AND l.valuenum < 22;

-- Delta Ratio
CREATE TEMP TABLE delta_ratio AS
SELECT
  g.hadm_id,
  g.charttime,
  (
    g.value - 12
  ) / NULLIF(24 - l.valuenum, 0) AS value
FROM corrected_anion_gap AS g
JOIN labs AS l
  ON l.hadm_id = g.hadm_id AND l.charttime = g.charttime AND l.label = 'bicarbonate';

-- Mixed Metabolic Disorder
CREATE TEMP TABLE mixed_metabolic_disorder AS
SELECT DISTINCT
  h.hadm_id,
  h.charttime
FROM high_gap_metabolic_acidosis AS h
JOIN delta_ratio AS d
  USING (hadm_id, charttime)
WHERE
  d.value < 0.8 OR d.value > 2.0;

-- Corrected Calcium
CREATE TEMP TABLE corrected_calcium AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum + 0.8 * (
    4.0 - b.valuenum
  ) AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'albumin'
WHERE
  a.label = 'calcium, total';

-- True Hypocalcaemia
CREATE TEMP TABLE true_hypocalcaemia AS
SELECT
  *
FROM corrected_calcium
WHERE
  value < 8.5;

-- Corrected Sodium
CREATE TEMP TABLE corrected_sodium AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum + 1.6 * MAX(b.valuenum - 100, 0) / 100.0 AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'glucose'
WHERE
  a.label = 'sodium';

-- True Hyponatraemia
CREATE TEMP TABLE true_hyponatraemia AS
SELECT
  *
FROM corrected_sodium
WHERE
  value < 135;

-- Calculated Osmolality
CREATE TEMP TABLE calculated_osmolality AS
SELECT
  a.hadm_id,
  a.charttime,
  2 * a.valuenum + b.valuenum / 18.0 + c.valuenum / 2.8 AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'glucose'
JOIN labs AS c
  ON c.hadm_id = a.hadm_id AND c.charttime = a.charttime AND c.label = 'urea nitrogen'
WHERE
  a.label = 'sodium';

-- Osmolal Gap
CREATE TEMP TABLE osmolal_gap AS
SELECT
  c.hadm_id,
  c.charttime,
  l.valuenum - c.value AS value
FROM calculated_osmolality AS c
JOIN labs AS l
  ON l.hadm_id = c.hadm_id
  AND l.charttime = c.charttime
  AND l.label = 'osmolality, measured';

-- Hyperosmolality
CREATE TEMP TABLE hyperosmolality AS
SELECT
  *
FROM calculated_osmolality
WHERE
  value > 295;

-- BUN/Creatinine Ratio
CREATE TEMP TABLE bun_creatinine_ratio AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum / b.valuenum AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'creatinine'
WHERE
  a.label = 'urea nitrogen';

-- Baseline Creatinine
CREATE TEMP TABLE baseline_creatinine AS
SELECT
  hadm_id,
  MIN(valuenum) AS value
FROM labs
WHERE
  label = 'creatinine'
GROUP BY
  hadm_id;

-- Creatinine Rise
CREATE TEMP TABLE creatinine_rise AS
SELECT
  l.hadm_id,
  l.charttime,
  l.valuenum / b.value AS value
FROM labs AS l
JOIN baseline_creatinine AS b
  USING (hadm_id)
WHERE
  l.label = 'creatinine';

-- KDIGO Stage
CREATE TEMP TABLE kdigo_stage AS
SELECT
  hadm_id,
  MAX(
    CASE
      WHEN value >= 3.0
      THEN 3
      WHEN value >= 2.0
      THEN 2
      WHEN value >= 1.5
      THEN 1
      ELSE 0
    END
  ) AS value
FROM creatinine_rise
GROUP BY
  hadm_id;

-- Severe Acute Kidney Injury
CREATE TEMP TABLE severe_acute_kidney_injury AS
SELECT
  *
FROM kdigo_stage
WHERE
  value >= 2;

-- Prerenal Kidney Injury
CREATE TEMP TABLE prerenal_kidney_injury AS
SELECT
  hadm_id
FROM kdigo_stage
WHERE
  value >= 1
  AND hadm_id IN (
    SELECT
      hadm_id
    FROM bun_creatinine_ratio
    WHERE
      value > 20
  );

-- Estimated GFR
CREATE TEMP TABLE estimated_gfr AS
SELECT
  l.hadm_id,
  l.charttime,
  142 * POWER(MIN(l.valuenum / k, 1), alpha) * POWER(MAX(l.valuenum / k, 1), -1.2)
    * POWER(0.9938, age) * factor AS value
FROM labs AS l
JOIN (
  SELECT
    hadm_id,
    age,
    CASE gender WHEN 'f' THEN 0.7 ELSE 0.9 END AS k,
    CASE gender WHEN 'f' THEN -0.241 ELSE -0.302 END AS alpha,
    CASE gender WHEN 'f' THEN 1.012 ELSE 1.0 END AS factor
  FROM admissions
  JOIN patients
    USING (subject_id)
)
  USING (hadm_id)
WHERE
  l.label = 'creatinine';

-- GFR Category
CREATE TEMP TABLE gfr_category AS
SELECT
  hadm_id,
  charttime,
  CASE
    WHEN value >= 90
    THEN 'G1'
    WHEN value >= 60
    THEN 'G2'
    WHEN value >= 45
    THEN 'G3a'
    WHEN value >= 30
    THEN 'G3b'
    WHEN value >= 15
    THEN 'G4'
    ELSE 'G5'
  END AS value
FROM estimated_gfr;

-- Discharged with Advanced Kidney Disease
CREATE TEMP TABLE discharged_with_advanced_kidney_disease AS
SELECT
  hadm_id
FROM gfr_category AS g
WHERE
  value IN ('G4', 'G5')
  AND charttime = (
    SELECT
      MAX(charttime)
    FROM gfr_category
    WHERE
      hadm_id = g.hadm_id
  );

-- Fractional Excretion of Sodium
CREATE TEMP TABLE fractional_excretion_of_sodium AS
SELECT
  a.hadm_id,
  a.charttime,
  100 * (
    a.valuenum * b.valuenum
  ) / (
    c.valuenum * d.valuenum
  ) AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'creatinine'
JOIN labs AS c
  ON c.hadm_id = a.hadm_id AND c.charttime = a.charttime AND c.label = 'sodium'
JOIN labs AS d
  ON d.hadm_id = a.hadm_id
  AND d.charttime = a.charttime
  AND d.label = 'creatinine, urine'
WHERE
  a.label = 'sodium, urine';

-- Sodium-avid Kidney
CREATE TEMP TABLE sodium_avid_kidney AS
SELECT
  *
FROM fractional_excretion_of_sodium
WHERE
  value < 1;

-- MELD Bilirubin Part
CREATE TEMP TABLE meld_bilirubin_part AS
SELECT
  hadm_id,
  charttime,
  3.78 * LN(MAX(valuenum, 1.0)) AS value
FROM labs
WHERE
  label = 'bilirubin, total';

-- MELD INR Part
CREATE TEMP TABLE meld_inr_part AS
SELECT
  hadm_id,
  charttime,
  11.2 * LN(MAX(valuenum, 1.0)) AS value
FROM labs
WHERE
  label = 'inr(pt)';

-- MELD Creatinine Part
CREATE TEMP TABLE meld_creatinine_part AS
SELECT
  hadm_id,
  charttime,
  9.57 * LN(MIN(MAX(valuenum, 1.0), 4.0)) AS value
FROM labs
WHERE
  label = 'creatinine';

-- MELD Score
CREATE TEMP TABLE meld_score AS
SELECT
  b.hadm_id,
  b.charttime,
  ROUND(b.value + i.value + c.value + 6.43) AS value
FROM meld_bilirubin_part AS b
JOIN meld_inr_part AS i
  USING (hadm_id, charttime)
JOIN meld_creatinine_part AS c
  USING (hadm_id, charttime);

-- MELD-Na Score
CREATE TEMP TABLE meld_na_score AS
SELECT
  m.hadm_id,
  m.charttime,
  CASE
    WHEN m.value <= 11
    THEN m.value
    ELSE m.value + 1.32 * d - 0.033 * m.value * d
  END AS value
FROM meld_score AS m
JOIN (
  SELECT
    hadm_id,
    charttime,
    137 - MIN(MAX(valuenum, 125), 137) AS d
  FROM labs
  WHERE
    label = 'sodium'
)
  USING (hadm_id, charttime);

-- Advanced Liver Failure
CREATE TEMP TABLE advanced_liver_failure AS
SELECT DISTINCT
  hadm_id
FROM meld_na_score
WHERE
  value >= 15;

-- De Ritis Ratio
CREATE TEMP TABLE de_ritis_ratio AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum / b.valuenum AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id
  AND b.charttime = a.charttime
  AND b.label = 'alanine aminotransferase (alt)'
WHERE
  a.label = 'asparate aminotransferase (ast)';

-- FIB-4 Index
CREATE TEMP TABLE fib_4_index AS
SELECT
  a.hadm_id,
  a.charttime,
  age * a.valuenum / (
    p.valuenum * SQRT(b.valuenum)
  ) AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id
  AND b.charttime = a.charttime
  AND b.label = 'alanine aminotransferase (alt)'
JOIN labs AS p
  ON p.hadm_id = a.hadm_id AND p.charttime = a.charttime AND p.label = 'platelet count'
JOIN admissions AS x
  ON x.hadm_id = a.hadm_id
WHERE
  a.label = 'asparate aminotransferase (ast)';

-- Probable Liver Fibrosis
CREATE TEMP TABLE probable_liver_fibrosis AS
SELECT
  *
FROM fib_4_index
WHERE
  value > 3.25;

-- Anaemia
CREATE TEMP TABLE anaemia AS
SELECT
  hadm_id,
  charttime
FROM labs
JOIN admissions
  USING (hadm_id)
JOIN patients
  USING (subject_id)
WHERE
  label = 'hemoglobin' AND valuenum < CASE gender WHEN 'f' THEN 12 ELSE 13 END;

-- Microcytic Anaemia
CREATE TEMP TABLE microcytic_anaemia AS
SELECT DISTINCT
  hadm_id,
  charttime
FROM anaemia
JOIN labs
  USING (hadm_id, charttime)
WHERE
  label = 'mcv' AND valuenum < 80;

-- Transferrin Saturation
CREATE TEMP TABLE transferrin_saturation AS
SELECT
  a.hadm_id,
  a.charttime,
  100 * a.valuenum / b.valuenum AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id
  AND b.charttime = a.charttime
  AND b.label = 'iron binding capacity, total'
WHERE
  a.label = 'iron';

-- Iron-deficiency Anaemia
CREATE TEMP TABLE iron_deficiency_anaemia AS
SELECT DISTINCT
  hadm_id
FROM anaemia
WHERE
  hadm_id IN (
    SELECT
      hadm_id
    FROM transferrin_saturation
    WHERE
      value < 20
  );

-- Absolute Neutrophil Count
CREATE TEMP TABLE absolute_neutrophil_count AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum * b.valuenum / 100.0 AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'neutrophils'
WHERE
  a.label = 'white blood cells';

-- Neutropenia
CREATE TEMP TABLE neutropenia AS
SELECT
  *
FROM absolute_neutrophil_count
WHERE
  value < 1.5;

-- Neutrophil-Lymphocyte Ratio
CREATE TEMP TABLE neutrophil_lymphocyte_ratio AS
SELECT
  a.hadm_id,
  a.charttime,
  a.valuenum / NULLIF(b.valuenum, 0) AS value
FROM labs AS a
JOIN labs AS b
  ON b.hadm_id = a.hadm_id AND b.charttime = a.charttime AND b.label = 'lymphocytes'
WHERE
  a.label = 'neutrophils';

-- Estimated Average Glucose
CREATE TEMP TABLE estimated_average_glucose AS
SELECT
  hadm_id,
  charttime,
  28.7 * valuenum - 46.7 AS value
FROM labs
WHERE
  label = '% hemoglobin a1c';

-- Stress Hyperglycaemia Ratio
CREATE TEMP TABLE stress_hyperglycaemia_ratio AS
SELECT
  hadm_id,
  g.valuenum / e.value AS value
FROM (
  SELECT
    hadm_id,
    valuenum,
    MIN(charttime)
  FROM labs
  WHERE
    label = 'glucose'
  GROUP BY
    hadm_id
) AS g
JOIN (
  SELECT
    hadm_id,
    value,
    MIN(charttime)
  FROM estimated_average_glucose
  GROUP BY
    hadm_id
) AS e
  USING (hadm_id);

-- Stress Hyperglycaemia
CREATE TEMP TABLE stress_hyperglycaemia AS
SELECT
  *
FROM stress_hyperglycaemia_ratio
WHERE
  value > 1.14;

-- Fever
CREATE TEMP TABLE fever AS
SELECT
  stay_id,
  charttime
FROM charted
WHERE
  label = 'temperature celsius' AND valuenum >= 38.3;

-- First ICU Day
CREATE TEMP TABLE first_icu_day AS
SELECT
  stay_id,
  hadm_id,
  intime AS begins,
  DATETIME(intime, '+24 hours') AS ends
FROM icustays;

-- SIRS Criteria
CREATE TEMP TABLE sirs_criteria AS
SELECT
  d.stay_id,
  d.hadm_id,
  EXISTS(
    SELECT
      1
    FROM charted AS c
    WHERE
      c.stay_id = d.stay_id
      AND c.charttime BETWEEN begins AND ends
      AND label = 'temperature celsius'
      AND (
        valuenum > 38 OR valuenum < 36
      )
  ) + EXISTS(
    SELECT
      1
    FROM charted AS c
    WHERE
      c.stay_id = d.stay_id
      AND c.charttime BETWEEN begins AND ends
      AND label = 'heart rate'
      AND valuenum > 90
  ) + EXISTS(
    SELECT
      1
    FROM tachypnoea AS t
    WHERE
      t.stay_id = d.stay_id AND t.charttime BETWEEN begins AND ends
  ) + EXISTS(
    SELECT
      1
    FROM labs AS l
    WHERE
      l.hadm_id = d.hadm_id
      AND l.charttime BETWEEN begins AND ends
      AND label = 'white blood cells'
      AND (
        valuenum > 12 OR valuenum < 4
      )
  ) AS value
FROM first_icu_day AS d;

-- SIRS
CREATE TEMP TABLE sirs AS
SELECT
  *
FROM sirs_criteria
WHERE
  value >= 2;

-- Partial qSOFA
CREATE TEMP TABLE partial_qsofa AS
SELECT
  d.stay_id,
  EXISTS(
    SELECT
      1
    FROM charted AS c
    WHERE
      c.stay_id = d.stay_id
      AND c.charttime BETWEEN begins AND ends
      AND label = 'respiratory rate'
      AND valuenum >= 22
  ) + EXISTS(
    SELECT
      1
    FROM charted AS c
    WHERE
      c.stay_id = d.stay_id
      AND c.charttime BETWEEN begins AND ends
      AND label = 'arterial blood pressure systolic'
      AND valuenum <= 100
  ) AS value
FROM first_icu_day AS d;

-- Positive Culture
CREATE TEMP TABLE positive_culture AS
SELECT
  hadm_id,
  charttime,
  spec_type_desc,
  org_name
FROM microbiologyevents
WHERE
  NOT org_name IS NULL;

-- Common Skin Contaminant
CREATE TEMP TABLE common_skin_contaminant AS
SELECT DISTINCT
  org_name
FROM microbiologyevents
WHERE
  org_name IN ('staphylococcus, coagulase negative', 'viridans streptococci');

-- Bacteraemia
CREATE TEMP TABLE bacteraemia AS
SELECT
  *
FROM positive_culture
WHERE
  spec_type_desc = 'blood culture';

-- True Bacteraemia
CREATE TEMP TABLE true_bacteraemia AS
SELECT
  *
FROM bacteraemia
WHERE
  NOT org_name IN (
    SELECT
      org_name
    FROM common_skin_contaminant
  );

-- Antibiotic
CREATE TEMP TABLE antibiotic AS
SELECT
  hadm_id,
  starttime,
  stoptime,
  drug,
  route
FROM prescriptions
WHERE
  drug IN (
    'cefazolin',
    'ceftriaxone',
    'cefepime',
    'vancomycin',
    'piperacillin-tazobactam',
    'levofloxacin',
    'ciprofloxacin hcl',
    'azithromycin',
    'metronidazole (flagyl)',
    'ampicillin-sulbactam',
    'nafcillin',
    'cephalexin'
  );

-- Antibiotic Days
CREATE TEMP TABLE antibiotic_days AS
SELECT
  hadm_id,
  COUNT(DISTINCT DATE(starttime)) AS value
FROM antibiotic
GROUP BY
  hadm_id;

-- Suspected Infection
CREATE TEMP TABLE suspected_infection AS
SELECT DISTINCT
  a.hadm_id
FROM antibiotic AS a
JOIN microbiologyevents AS m
  USING (hadm_id)
WHERE
  JULIANDAY(a.starttime) - JULIANDAY(m.charttime) BETWEEN -1 AND 3;

-- Sepsis by SIRS
CREATE TEMP TABLE sepsis_by_sirs AS
SELECT
  stay_id
FROM sirs
WHERE
  hadm_id IN (
    SELECT
      hadm_id
    FROM suspected_infection
  );

-- Length of Stay
CREATE TEMP TABLE length_of_stay AS
SELECT
  hadm_id,
  JULIANDAY(dischtime) - JULIANDAY(admittime) AS value
FROM admissions
WHERE
  NOT dischtime IS NULL;

-- Long Stay
CREATE TEMP TABLE long_stay AS
SELECT
  *
FROM length_of_stay
WHERE
  value > 7;

-- ICU Length of Stay
CREATE TEMP TABLE icu_length_of_stay AS
SELECT
  stay_id,
  hadm_id,
  JULIANDAY(outtime) - JULIANDAY(intime) AS value
FROM icustays
WHERE
  NOT outtime IS NULL;

-- ICU Share of Stay
CREATE TEMP TABLE icu_share_of_stay AS
SELECT
  hadm_id,
  SUM(i.value) / l.value AS value
FROM icu_length_of_stay AS i
JOIN length_of_stay AS l
  USING (hadm_id)
GROUP BY
  hadm_id;

-- ICU-dominated Stay
CREATE TEMP TABLE icu_dominated_stay AS
SELECT
  *
FROM icu_share_of_stay
WHERE
  value > 0.5;

-- In-hospital Death
CREATE TEMP TABLE in_hospital_death AS
SELECT
  hadm_id
FROM admissions
WHERE
  discharge_location = 'died';

-- Index Stay
CREATE TEMP TABLE index_stay AS
SELECT
  hadm_id,
  subject_id,
  dischtime
FROM admissions
WHERE
  NOT dischtime IS NULL
  AND discharge_location <> 'against advice'
  AND NOT hadm_id IN (
    SELECT
      hadm_id
    FROM in_hospital_death
  );

-- 30-day Readmission
CREATE TEMP TABLE x30_day_readmission AS
SELECT
  i.hadm_id,
  a.hadm_id AS again
FROM index_stay AS i
JOIN admissions AS a
  USING (subject_id)
WHERE
  a.admittime > i.dischtime
  AND JULIANDAY(a.admittime) - JULIANDAY(i.dischtime) <= 30;

-- Readmission Rate
CREATE TEMP TABLE readmission_rate AS
SELECT
  1.0 * (
    SELECT
      COUNT(DISTINCT hadm_id)
    FROM x30_day_readmission
  ) / (
    SELECT
      COUNT(*)
    FROM index_stay
  ) AS value;

-- Emergency Admission
CREATE TEMP TABLE emergency_admission AS
SELECT
  hadm_id
FROM admissions
WHERE
  admission_type IN ('ew emer.', 'direct emer.', 'urgent');

-- Unplanned Readmission
CREATE TEMP TABLE unplanned_readmission AS
SELECT
  *
FROM x30_day_readmission
WHERE
  again IN (
    SELECT
      hadm_id
    FROM emergency_admission
  );

-- Elderly
CREATE TEMP TABLE elderly AS
SELECT
  hadm_id
FROM admissions
WHERE
  age >= 65;

-- Very Elderly
CREATE TEMP TABLE very_elderly AS
SELECT
  hadm_id
FROM admissions
WHERE
  age >= 80;

-- Oral Route
CREATE TEMP TABLE oral_route AS
SELECT
  hadm_id,
  drug
FROM prescriptions
WHERE
  route IN ('po', 'oral', 'po/ng');

-- Oral Drug Count
CREATE TEMP TABLE oral_drug_count AS
SELECT
  hadm_id,
  COUNT(DISTINCT drug) AS value
FROM oral_route
GROUP BY
  hadm_id;

-- Polypharmacy
CREATE TEMP TABLE polypharmacy AS
SELECT
  *
FROM oral_drug_count
WHERE
  value >= 10;

-- Geriatric Polypharmacy
CREATE TEMP TABLE geriatric_polypharmacy AS
SELECT
  hadm_id
FROM polypharmacy
WHERE
  hadm_id IN (
    SELECT
      hadm_id
    FROM elderly
  );

-- Stay Cost
CREATE TEMP TABLE stay_cost AS
SELECT
  hadm_id,
  SUM(cost) AS value
FROM cost
GROUP BY
  hadm_id;

-- Cost per Day
CREATE TEMP TABLE cost_per_day AS
SELECT
  hadm_id,
  c.value / MAX(l.value, 1) AS value
FROM stay_cost AS c
JOIN length_of_stay AS l
  USING (hadm_id);

-- High-cost Stay
CREATE TEMP TABLE high_cost_stay AS
SELECT
  *
FROM stay_cost
WHERE
  value > 2 * (
    SELECT
      AVG(value)
    FROM stay_cost
  );

-- Cost-intensive Stay
CREATE TEMP TABLE cost_intensive_stay AS
SELECT
  *
FROM cost_per_day
WHERE
  value > 1.5 * (
    SELECT
      AVG(value)
    FROM cost_per_day
  );

-- Admission Weight
CREATE TEMP TABLE admission_weight AS
SELECT
  stay_id,
  valuenum AS value,
  MIN(charttime) AS charttime
FROM charted
WHERE
  label = 'daily weight'
GROUP BY
  stay_id;

-- Body Mass Index
CREATE TEMP TABLE body_mass_index AS
SELECT
  w.stay_id,
  w.value / (
    h.valuenum * h.valuenum / 10000.0
  ) AS value
FROM admission_weight AS w
JOIN (
  SELECT
    stay_id,
    valuenum,
    MIN(charttime)
  FROM charted
  WHERE
    label = 'height (cm)'
  GROUP BY
    stay_id
) AS h
  USING (stay_id);

-- Overweight
CREATE TEMP TABLE overweight AS
SELECT
  *
FROM body_mass_index
WHERE
  value >= 25 AND value < 30;

-- Obesity
CREATE TEMP TABLE obesity AS
SELECT
  *
FROM body_mass_index
WHERE
  value >= 30;

-- Urine Source
CREATE TEMP TABLE urine_source AS
SELECT
  itemid
FROM d_items
WHERE
  label IN ('foley', 'void', 'or urine') AND linksto = 'outputevents';

-- Urine Output
CREATE TEMP TABLE urine_output AS
SELECT
  stay_id,
  SUM(value) AS value
FROM outputevents
WHERE
  itemid IN (
    SELECT
      itemid
    FROM urine_source
  )
GROUP BY
  stay_id;

-- Hourly Urine Rate
CREATE TEMP TABLE hourly_urine_rate AS
SELECT
  u.stay_id,
  u.value / w.value / (
    (
      JULIANDAY(outtime) - JULIANDAY(intime)
    ) * 24
  ) AS value
FROM urine_output AS u
JOIN admission_weight AS w
  USING (stay_id)
JOIN icustays
  USING (stay_id)
WHERE
  NOT outtime IS NULL;

-- Oliguria
CREATE TEMP TABLE oliguria AS
SELECT
  *
FROM hourly_urine_rate
WHERE
  value < 0.5;

-- Net Fluid Balance
CREATE TEMP TABLE net_fluid_balance AS
SELECT
  stay_id,
  COALESCE(
    (
      SELECT
        SUM(totalamount)
      FROM inputevents AS i
      WHERE
        i.stay_id = s.stay_id
    ),
    0
  ) - COALESCE(
    (
      SELECT
        SUM(value)
      FROM outputevents AS o
      WHERE
        o.stay_id = s.stay_id
    ),
    0
  ) AS value
FROM icustays AS s;

-- Fluid Overload Percentage
CREATE TEMP TABLE fluid_overload_percentage AS
SELECT
  n.stay_id,
  n.value / 1000.0 / w.value * 100 AS value
FROM net_fluid_balance AS n
JOIN admission_weight AS w
  USING (stay_id);

-- Fluid Overload
CREATE TEMP TABLE fluid_overload AS
SELECT
  *
FROM fluid_overload_percentage
WHERE
  value >= 10;

-- Emergency Department Time
CREATE TEMP TABLE emergency_department_time AS
SELECT
  hadm_id,
  (
    JULIANDAY(outtime) - JULIANDAY(intime)
  ) * 24 AS value
FROM transfers
WHERE
  eventtype = 'ed';

-- Delayed Emergency Transfer
CREATE TEMP TABLE delayed_emergency_transfer AS
SELECT
  *
FROM emergency_department_time
WHERE
  value > 4;
