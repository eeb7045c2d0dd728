"""The loop and its words: task, action, environment, agent, trial, run."""
