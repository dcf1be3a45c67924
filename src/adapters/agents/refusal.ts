import type { AgentError } from '../../contracts/agent.ts';
import { FileProblemsError, type RalphError } from '../../contracts/errors.ts';
import { failure } from './failures.ts';

/**
 * Why no command could be built, as the end of an agent that did not start. In one line with the mend, because the run's
 * summary has no more room.
 */
export function refusalOf(error: RalphError): AgentError {
  const [problem] = error instanceof FileProblemsError ? error.problems : [];
  const found = problem ? `: ${problem.file}:${problem.line}: ${problem.message}` : '';
  const ways = problem ? [problem.mend] : (error.facts.mend ?? []);
  const mend = ways.length === 0 ? '' : ` (mend: ${ways.join('; or ')})`;
  return failure('unavailable', `${error.facts.what}${found}${mend}`.replace(/\s+/g, ' '));
}
