/** Names the private folders of a run's agents, so that those a crash left are found. */
export function agentTempPrefix(run: string): string {
  return `ralph-agent-${run}-`;
}
