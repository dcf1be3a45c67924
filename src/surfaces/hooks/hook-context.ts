import { readHookSettings } from '../../adapters/workspace/hooks/hook-settings.ts';
import { pathFacts } from '../../adapters/workspace/hooks/path-facts.ts';
import { scriptLookup } from '../../adapters/workspace/hooks/script-lookup.ts';
import { readSession } from '../../adapters/workspace/hooks/session-log.ts';
import { readContextWindows } from '../../adapters/workspace/records/context-windows.ts';
import type { HookContext, HookEvent } from '../../rules/hooks/api.ts';

/** What a command hook may know of the process it runs in. */
export interface HookProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** The system's folder for temporary files. */
  readonly temp: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Everything a decision needs, from the files of a project. `folder` holds the session's logs. */
export async function hookContext(
  event: HookEvent,
  root: string,
  folder: string,
  { env, home, temp, now }: HookProcess,
): Promise<HookContext> {
  const settings = readHookSettings(root, env);
  // Nearly every call comes from outside a run, and need not load what is about runs.
  const inRun = env['RALPH_RUN_ID'] ? await import('./run-facts.ts') : null;
  const run = (await inRun?.runOfSession(root, env)) ?? null;
  return {
    // Inside an agent of a run nobody watches, even when its marker is gone.
    profile: env['RALPH_RUN_ID'] ? 'run' : 'interactive',
    root,
    home: pathFacts.resolve(home, '/'),
    temp: [...new Set([temp, '/tmp', env['CLAUDE_CODE_TMPDIR'] || temp].map((path) => pathFacts.resolve(path, '/')))],
    now,
    run: run?.facts ?? null,
    session: readSession(folder, event.session),
    paths: pathFacts,
    scripts: scriptLookup(event.cwd || root, root),
    guard: settings.guard,
    window: {
      env: settings.window,
      seen: await readContextWindows(root),
      divisor: settings.bytesPerToken,
    },
    stop: inRun && run && event.name === 'Stop' ? inRun.stopFacts(root, run) : null,
    maxRefusals: settings.stopRefusals,
  };
}
