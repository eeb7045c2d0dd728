"""The shipped suite: 30 tasks on a made record of 100 patients."""
