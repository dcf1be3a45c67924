import {
  type HookContext,
  type HookEvent,
  NEW_SESSION,
  type PathFacts,
  parseHook,
  type RunFacts,
} from '../../src/rules/hooks/index.ts';

/** A session of a run as it begins: work tree `/project`, home `/home/u`. */
export function aContext(parts: Partial<HookContext> = {}): HookContext {
  return {
    profile: 'run',
    root: '/project',
    home: '/home/u',
    temp: ['/tmp'],
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    run: aRun(),
    session: NEW_SESSION,
    paths: files({}),
    scripts: { packageScript: () => null, makeTarget: () => null },
    guard: { allow: [], deny: [] },
    window: { env: null, seen: {} },
    stop: null,
    maxRefusals: 3,
    ...parts,
  };
}

export function aRun(parts: Partial<RunFacts> = {}): RunFacts {
  return {
    run: 'r1',
    iteration: 4,
    mode: 'implement',
    story: 'US-003',
    isProtected: (path) => path === 'ralph/prd.md' || path.startsWith('.git/'),
    loopFiles: ['ralph/tasks.json', 'ralph/progress.txt'],
    rollbackAtOnce: false,
    ...parts,
  };
}

/** A file system of these files. `links`: path → where it leads. */
export function files(
  texts: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): PathFacts {
  const readText = (path: string) => (Object.hasOwn(texts, path) ? (texts[path] ?? null) : null);
  return {
    resolve: (path, cwd) => {
      const full = path.startsWith('/') ? path : `${cwd}/${path}`;
      const parts: string[] = [];
      for (const part of full.split('/')) {
        if (part === '..') parts.pop();
        else if (part !== '' && part !== '.') parts.push(part);
      }
      const plain = `/${parts.join('/')}`;
      return (Object.hasOwn(links, plain) ? links[plain] : null) ?? plain;
    },
    exists: (path) => Object.hasOwn(texts, path),
    readTail: (path, bytes) => readText(path)?.slice(-bytes) ?? null,
    sizeOf: (path) => readText(path)?.length ?? null,
  };
}

/** A call of a tool before it runs, as the client sends it. */
export function toolCall(tool: string, input: Readonly<Record<string, unknown>>, more: object = {}): HookEvent {
  return aHook('PreToolUse', { tool_name: tool, tool_input: input, ...more });
}

export function aHook(name: string, more: object = {}): HookEvent {
  return parseHook({ session_id: 's1', cwd: '/project', hook_event_name: name, ...more });
}
