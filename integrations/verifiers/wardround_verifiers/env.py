"""The environment: one agent, whose rollouts stay on this machine."""

import verifiers.v1 as vf


class WardroundEnvConfig(vf.EnvConfig):
    """The agent's runtime is this machine; that of verifiers is a sandbox of its makers."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class WardroundEnv(vf.Env[WardroundEnvConfig]):
    """Plays each task with one agent."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Plays a task."""
        await agents.agent.run(task)
