-- The first heart rate and systolic pressure of each stay in intensive care, and a shock index.
WITH ranked AS (
  SELECT c.stay_id, c.itemid, c.valuenum,
    ROW_NUMBER() OVER (PARTITION BY c.stay_id, c.itemid ORDER BY c.charttime) AS place
  FROM `physionet-data.mimiciv_3_1_icu.chartevents` c
  WHERE c.itemid IN (220045, 220179, 220050) AND c.valuenum IS NOT NULL
), first AS (
  SELECT stay_id,
    MAX(CASE WHEN itemid = 220045 THEN valuenum END) AS heart_rate,
    MAX(CASE WHEN itemid IN (220179, 220050) THEN valuenum END) AS systolic
  FROM ranked WHERE place = 1 GROUP BY stay_id
)
SELECT CASE WHEN heart_rate / systolic >= 0.9 THEN 'high' ELSE 'normal' END AS shock_index,
  COUNT(*) AS stays, COUNT(DISTINCT i.first_careunit) AS units
FROM first JOIN `physionet-data.mimiciv_3_1_icu.icustays` i USING (stay_id)
WHERE systolic > 0
GROUP BY shock_index ORDER BY shock_index
