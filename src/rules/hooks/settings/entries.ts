/** One hook entry of a client's settings, as it is written there. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    /** Seconds. */
    readonly timeout: number;
    /** Whether a hook that cannot be run stops the tool; clients that do not know it ignore it. */
    readonly onFailure?: 'block';
  }[];
}

/** Hook entries by event. */
export type HookGroups = Readonly<Record<string, readonly HookGroup[]>>;

interface Entry {
  readonly event: string;
  /** Names of tools; null for all, and for events that are not about tools. */
  readonly matcher: string | null;
  readonly isGuard?: true;
}

/** Read is named for read-before-edit; after a tool, all are, as the context may have grown by any. */
const ENTRIES: readonly Entry[] = [
  { event: 'SessionStart', matcher: null },
  { event: 'UserPromptSubmit', matcher: null },
  { event: 'PreToolUse', matcher: 'Bash', isGuard: true },
  { event: 'PreToolUse', matcher: 'Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead|Grep' },
  { event: 'PostToolUse', matcher: null },
  { event: 'PostToolUseFailure', matcher: null },
  { event: 'Stop', matcher: null },
  { event: 'SessionEnd', matcher: null },
];

const TIMEOUT_SECONDS = 10;

/**
 * The entries that call a command at every event we decide about.
 * @param guard `strict`: a command of the shell does not run while the guard cannot be asked
 */
export function hookGroups(command: string, guard: 'strict' | 'open'): HookGroups {
  const groups: Record<string, HookGroup[]> = {};
  for (const { event, matcher, isGuard } of ENTRIES) {
    const onFailure = isGuard && guard === 'strict' ? { onFailure: 'block' as const } : {};
    const hook = { type: 'command' as const, command, timeout: TIMEOUT_SECONDS, ...onFailure };
    groups[event] ??= [];
    groups[event].push({ ...(matcher === null ? {} : { matcher }), hooks: [hook] });
  }
  return groups;
}

/** An argument that the hook ignores: by it our entries are known, wherever the package lies. */
const MARK = 'ralph-hooks';

/** The shell command of an installed hook. Both paths are absolute: hooks run with whatever PATH the client has. */
export function hookCommand(node: string, script: string): string {
  return `${quoted(node)} ${quoted(script)} ${MARK}`;
}

/** Whether a hook entry is one that `ralph hooks install` wrote. */
export function isOurs(hook: unknown): boolean {
  const command = (hook as { readonly command?: unknown } | null)?.command;
  return typeof command === 'string' && command.endsWith(` ${MARK}`);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
