import { AGENT_PROGRAMS } from '../../contracts/index.ts';

/**
 * The parts of a configuration that need the user's trust: settings that weaken the agents' restrictions, and files
 * that run on the host. By name (`isolation.backend`, `file ralph.config.js`), each with its value as text.
 */
export type Asked = Readonly<Record<string, string>>;

const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** Settings that weaken enforcement, each with its harmless values. Source: the specification, 10-trust §1. */
const WEAKENING: readonly (readonly [path: string, isHarmless: (value: unknown) => boolean])[] = [
  ['isolation.backend', (value) => value !== 'none'],
  ...['allowHosts', 'localPorts', 'read', 'write', 'container.image'].map(
    (name) => [`isolation.${name}`, isEmpty] as const,
  ),
  ['env.pass', isEmpty],
  ['guard.allow', isEmpty],
  ['onTestTamper', (value) => value === 'reject'],
  ['plugins', isEmpty],
  ['notify.webhooks', isEmpty],
  ['issues.comment', (value) => value !== true],
  ['notify.link', (value) => value === null],
  ['worktree.copy', isEmpty],
  ['checks.copy', isEmpty],
  ['checks.where', (value) => value !== 'tree'],
  ['command.run', isEmpty],
  ...Object.entries(AGENT_PROGRAMS).flatMap(([agent, program]) => [
    [`agents.${agent}.command`, (value: unknown) => value === program] as const,
    [`agents.${agent}.args`, isEmpty] as const,
    [`agents.${agent}.env`, isEmpty] as const,
  ]),
  ...['claude', 'codex', 'opencode', 'copilot'].map((agent) => [`agents.${agent}.mcp`, isEmpty] as const),
  ['agents.claude.skills', (value) => value !== true],
  ['agents.claude.allowedTools', isEmpty],
  ['agents.claude.bashSandbox', (value) => value === true],
];

/** The settings of a configuration file that need trust, by name. @param values the values in the file */
export function weakening(values: unknown): Asked {
  const found: Record<string, string> = {};
  for (const [path, isHarmless] of WEAKENING) {
    const value = valueAt(values, path.split('.'));
    if (value !== undefined && !isHarmless(value)) found[path] = JSON.stringify(value);
  }
  return found;
}

/** The values without these settings. */
export function without(values: unknown, paths: readonly string[]): Record<string, unknown> {
  const copy = structuredClone(values) as Record<string, unknown>;
  for (const path of paths) {
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    const group = valueAt(copy, parts);
    if (typeof group === 'object' && group !== null) delete (group as Record<string, unknown>)[last];
  }
  return copy;
}

/** An item that needs trust and differs from what was trusted. */
export interface Untrusted {
  readonly name: string;
  /** The trusted value; null when nothing of that name was ever trusted. */
  readonly before: string | null;
  readonly now: string;
}

/** The items that go beyond what was trusted. */
export function untrusted(asked: Asked, trusted: Asked | null): readonly Untrusted[] {
  return Object.entries(asked).flatMap(([name, now]) => {
    const before = trusted !== null && Object.hasOwn(trusted, name) ? (trusted[name] ?? null) : null;
    return before === now ? [] : [{ name, before, now }];
  });
}

/** The modules among the requested items: path relative to the root → SHA-256 in hex. */
export function filesIn(asked: Asked): Readonly<Record<string, string>> {
  const files = Object.entries(asked).filter(([name]) => name.startsWith(FILE));
  return Object.fromEntries(files.map(([name, hash]) => [name.slice(FILE.length), hash]));
}

/** Prefix of file names among the requested items. */
export const FILE = 'file ';
/** Prefix of the project's MCP servers, each with its definition. */
export const SERVER = 'mcp ';

/** The names, short enough for one line. */
export function namesOf(all: readonly Untrusted[]): string {
  const names = all.slice(0, 4).map(({ name }) => name);
  return names.join(', ') + (all.length > 4 ? ` and ${all.length - 4} more` : '');
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
