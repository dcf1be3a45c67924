/** Names the folders in which a run's proofs are tried, so that recovery finds those a crash left. */
export function proofPrefix(run: string): string {
  return `ralph-proof-${run}-`;
}
