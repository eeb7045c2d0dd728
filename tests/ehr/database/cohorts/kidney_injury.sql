-- Stays in which creatinine rose by half within a week, by service.
WITH creatinine AS (
  SELECT hadm_id, charttime, valuenum,
    FIRST_VALUE(valuenum) OVER (PARTITION BY hadm_id ORDER BY charttime) AS first_value,
    MIN(charttime) OVER (PARTITION BY hadm_id) AS first_time
  FROM `physionet-data.mimiciv_3_1_hosp.labevents`
  WHERE itemid = 50912 AND valuenum IS NOT NULL AND hadm_id IS NOT NULL
), risen AS (
  SELECT hadm_id, MAX(valuenum / NULLIF(first_value, 0)) >= 1.5 AS rose
  FROM creatinine
  WHERE charttime <= DATETIME_ADD(first_time, INTERVAL 7 DAY)
  GROUP BY hadm_id
)
SELECT s.curr_service, COUNT(DISTINCT r.hadm_id) AS stays, COUNTIF(r.rose) AS with_injury
FROM risen r JOIN `physionet-data.mimiciv_3_1_hosp.services` s USING (hadm_id)
GROUP BY s.curr_service
QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(DISTINCT r.hadm_id) DESC) <= 5
ORDER BY stays DESC, s.curr_service
