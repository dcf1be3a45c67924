import type { Env } from '../../../contracts/index.ts';
import { isThereSync } from '../../../platform/index.ts';
import { CONFIG_FILES } from '../paths.ts';
import type { givenHookSettings } from './config.ts';

/** Variables that set what a hook reads, today's and earlier loops'. */
const OF_HOOKS = /^(RALPH_(GUARD|HOOKS|CONTEXT|PLUGINS)|CLAUDE_CONTEXT_WINDOW$)/;

/** As the schema has them. */
const DEFAULTS: Awaited<ReturnType<typeof givenHookSettings>> = {
  guard: { allow: [], deny: [] },
  hooks: { stopRefusals: 8 },
  context: { window: null, bytesPerToken: 4 },
  plugins: [],
};

/**
 * What hooks need of the configuration. What is wrong counts as absent: `ralph config` and every run report it. A hook is
 * started at every tool call, and what checks settings takes long to load: where nothing is set, it is not.
 */
export async function readHookSettings(root: string, env: Env): Promise<typeof DEFAULTS> {
  const isGiven = CONFIG_FILES.some((file) => isThereSync(`${root}/${file}`)) || Object.keys(env).some(isOfHooks);
  return isGiven ? (await import('./config.ts')).givenHookSettings(root, env) : DEFAULTS;
}

const isOfHooks = (name: string) => OF_HOOKS.test(name);
