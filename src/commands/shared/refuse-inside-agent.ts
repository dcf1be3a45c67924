import { type Env, UsageError } from '../../contracts/index.ts';

/**
 * Agents may not use commands that change what the loop is responsible for. The loop sets `RALPH_RUN_ID` in every
 * process it starts; a person's shell does not have it.
 * @throws UsageError inside an agent
 */
export function refuseInsideAgent(command: string, env: Env): void {
  const run = env['RALPH_RUN_ID'];
  if (!run) return;
  throw new UsageError({
    what: `ralph ${command} is not for agents`,
    where: `inside run ${run} (RALPH_RUN_ID is set)`,
    why: 'only the loop and the user change stories, runs and rescues',
    fix: [
      'as the agent: report what is needed in the final message or the status block',
      'as the user: type it in your own shell',
    ],
  });
}
