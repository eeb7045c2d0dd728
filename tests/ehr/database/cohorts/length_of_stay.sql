-- Length of stay in days by kind of admission: quartiles and the share of a week and longer.
SELECT admission_type, COUNT(*) AS stays,
  ROUND(AVG(TIMESTAMP_DIFF(CAST(dischtime AS TIMESTAMP), CAST(admittime AS TIMESTAMP), HOUR)) / 24, 1)
    AS mean_days,
  ROUND(SAFE_DIVIDE(SUM(IF(DATETIME_DIFF(dischtime, admittime, DAY) >= 7, 1, 0)), COUNT(*)), 3)
    AS a_week_or_more
FROM `physionet-data.mimiciv_3_1_hosp.admissions`
WHERE dischtime IS NOT NULL
GROUP BY admission_type
HAVING COUNT(*) >= 2
ORDER BY stays DESC, admission_type
