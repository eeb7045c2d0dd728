"""Pure grading functions: result tables, answers, reliability, statistics."""
