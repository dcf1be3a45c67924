import { randomBytes } from 'node:crypto';
import { type AgentAdapter, envOf, findLogin, startAgent } from '../../adapters/agents/index.ts';
import { loginStore } from '../../adapters/isolation/index.ts';
import { agentTempPrefix, noteLogin } from '../../adapters/workspace/index.ts';
import { type AgentError, UnavailableError } from '../../contracts/index.ts';
import { makeTempDir, remove } from '../../platform/index.ts';
import type { RunContext } from '../context.ts';
import { environmentFor } from '../inside/inside.ts';
import { hasReviewers, reviewersOf, workersOf } from './candidates.ts';
import { knowLogins } from './know-logins.ts';

/** Long enough for a large client on a slow disk; without an answer by then the run finds out by itself. */
const PATIENCE_MS = 20_000;

/**
 * Asks the providers of the first agent and of the reviewers whether they accept the login, before a branch or a commit
 * is made, by a request that costs nothing. An agent that has no such request is asked by its first iteration.
 * @throws UnavailableError where it is refused, and no other agent could take over
 */
export async function proveLogin(context: RunContext): Promise<void> {
  const { config } = context;
  const { panel } = config.review;
  await proveAmong(workersOf(context), 1);
  if (!config.skipReview && hasReviewers(context)) await proveAmong(reviewersOf(context), panel);

  /** Of these agents, so many are needed. */
  async function proveAmong(agents: RunContext['agents'], needed: number): Promise<void> {
    let spare = agents.length - needed;
    for (const agent of agents.slice(0, needed)) {
      const refused = await refusedLogin(context, agent);
      if (refused === null) continue;
      if (spare === 0) throw await refusal(context, agent, refused);
      spare -= 1;
    }
  }
}

/** The answer that refuses the login of an agent; null where it was accepted, or could not be asked. */
async function refusedLogin(context: RunContext, agent: AgentAdapter): Promise<AgentError | null> {
  const { config, git, run, env, clock, signal, isolation } = context;
  const check = agent.loginCheck?.(envOf(env, config, agent.name));
  if (!check) return null;
  await knowLogins(context);
  const tempDir = await makeTempDir(agentTempPrefix(run));
  try {
    const task = {
      ...{ prompt: 'Hello', cwd: git.repo.root, run, iteration: 0, storyId: '', attempt: 1, reviewCount: 0, try: 1 },
      ...{ model: null, budgetUsd: null, tempDir, config, control: null, isolation: isolation.name },
      mode: 'implement' as const,
      env: environmentFor(context, [agent]),
    };
    const { result } = await startAgent({ ...agent, command: check }, task, {
      ...{ isolation, clock, signal, timeoutMs: PATIENCE_MS, idleTimeoutMs: PATIENCE_MS },
      onEvent: () => {},
      onOutput: () => {},
    });
    // A gateway between may refuse its keys a model rather than the login.
    if (/model/i.test(result.error?.message ?? '') && result.error?.kind === 'auth') return null;
    await noteAnswer(context, agent, result.error);
    return result.error?.kind === 'auth' ? result.error : null;
  } finally {
    await remove(tempDir);
  }
}

async function refusal(context: RunContext, agent: AgentAdapter, { message }: AgentError): Promise<UnavailableError> {
  const login = await loginOf(context, agent);
  const credential = login?.credential ?? null;
  const inside =
    context.isolation.name === 'none' ? '' : ` inside ${context.isolation.name}, where your own login is not available`;
  return new UnavailableError({
    what: credential === null ? `${agent.name} is not logged in` : `the login of ${agent.name} was refused`,
    where: credential ?? `no login found${inside}`,
    why: `the answer was "${message}"; no branch or commit was made, and nothing was spent`,
    fix: login?.fix ?? ['`ralph doctor`'],
  });
}

const loginOf = (
  { env, config, isolation }: Pick<RunContext, 'env' | 'config' | 'isolation'>,
  { name }: AgentAdapter,
) =>
  findLogin(name, {
    env: envOf(env, config, name),
    home: isolation.name === 'none' ? (env['HOME'] ?? '') : loginStore(env),
    isolation: isolation.name,
  });

/** Remembers for `ralph doctor` whether the provider accepted the login, where its answer shows that. */
export async function noteAnswer(
  context: Pick<RunContext, 'env' | 'config' | 'isolation' | 'clock'>,
  agent: AgentAdapter,
  error: AgentError | null,
): Promise<void> {
  const { env, isolation, clock } = context;
  if (error === null || error.kind === 'limit' || error.kind === 'model')
    return noteLogin(env, agent.name, isolation.name, null);
  if (error.kind !== 'auth') return;
  const login = await loginOf(context, agent);
  if (login === null) return;
  const salt = randomBytes(8).toString('hex');
  const refused = { at: clock.now(), answer: error.message, salt, mark: await login.mark(salt) };
  await noteLogin(env, agent.name, isolation.name, refused);
}
