import type { AgentTask } from './port.ts';

/** Hosts never to be reached through a proxy: the control server, local model servers, the user's own services. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

/** Git settings for agents, set through the environment because it overrides every config file of the repository. */
const GIT_SETTINGS: readonly (readonly [key: string, value: string])[] = [
  // Rewrites every push address to one that no transport knows. Fetching is untouched.
  ['url.ralph-no-push:.pushInsteadOf', ''],
  // A pinentry would wait all night for a passphrase.
  ['commit.gpgsign', 'false'],
  ['tag.gpgsign', 'false'],
];

/**
 * The environment that every agent gets with any adapter: `base` (what `passedEnvironment` lets through; it carries the
 * user's GIT_AUTHOR_* and GIT_COMMITTER_* when they are known), who and where the agent is in the run (RALPH_*), an
 * identity to commit with, and a git that cannot push, prompt or sign.
 */
export function agentEnvironment(base: Readonly<Record<string, string>>, task: AgentTask): Record<string, string> {
  return {
    ...base,
    ...noProxy(base),
    ...gitSettings(base),
    ...identity(base),
    GIT_TERMINAL_PROMPT: '0',
    RALPH_RUN_ID: task.run,
    RALPH_ITERATION: String(task.iteration),
    RALPH_MODE: task.mode,
    RALPH_STORY_ID: task.storyId,
    RALPH_ATTEMPT: String(task.attempt),
    RALPH_REVIEW_COUNT: String(task.reviewCount),
    RALPH_TRY: String(task.try),
    ...(task.control ? { RALPH_CONTROL_URL: task.control.url, RALPH_CONTROL_TOKEN: task.control.token } : {}),
  };
}

/** Both spellings: programs disagree about which one they read. */
function noProxy(base: Readonly<Record<string, string>>): Record<string, string> {
  const existing = (base['NO_PROXY'] ?? base['no_proxy'] ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean);
  const value = [...new Set([...existing, ...LOOPBACK])].join(',');
  return { NO_PROXY: value, no_proxy: value };
}

/** Appends to settings that the environment already carries (`GIT_CONFIG_COUNT` and its numbered pairs). */
function gitSettings(base: Readonly<Record<string, string>>): Record<string, string> {
  const first = Number.parseInt(base['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length) };
  GIT_SETTINGS.forEach(([key, value], offset) => {
    env[`GIT_CONFIG_KEY_${first + offset}`] = key;
    env[`GIT_CONFIG_VALUE_${first + offset}`] = value;
  });
  return env;
}

function identity(base: Readonly<Record<string, string>>): Record<string, string> {
  const name = base['GIT_AUTHOR_NAME'] ?? 'Ralph Loop';
  const email = base['GIT_AUTHOR_EMAIL'] ?? 'ralph@localhost';
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: base['GIT_COMMITTER_NAME'] ?? name,
    GIT_COMMITTER_EMAIL: base['GIT_COMMITTER_EMAIL'] ?? email,
  };
}
