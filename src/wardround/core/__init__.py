"""The trial loop and its types: task, action, environment, agent, trial, run."""
