import { join } from 'node:path';
import { type CommandResult, makeDir, makeTempDir, remove, runCommand, writeAtomic } from '../../../platform/index.ts';
import type { InsideCommand, Isolation, IsolationInput } from '../port.ts';

/** A project with what surrounds it on a host, and how to run things inside it. */
export interface TestProject {
  readonly base: string;
  readonly root: string;
  readonly input: IsolationInput;
  dispose(): Promise<void>;
}

export async function makeProject(
  env: Readonly<Record<string, string | undefined>>,
  container: Partial<IsolationInput['container']>,
): Promise<TestProject> {
  const base = await makeTempDir('ralph-container-test-');
  const root = join(base, 'project');
  for (const folder of ['project/kept/open', 'home']) await makeDir(join(base, folder));
  await writeAtomic(join(base, 'person/.ssh/id_una'), 'a secret');
  await writeAtomic(join(base, 'outside'), 'as it was');
  return {
    base,
    root,
    input: {
      workspace: { root, readOnly: [join(root, 'kept')], writable: [join(root, 'kept/open')] },
      policy: {
        ...{ hosts: [], localPorts: [], read: [], write: [] },
        ...{ memoryBytes: 256 * 1024 * 1024, processes: 100, cpus: 1 },
      },
      env: { ...env, HOME: join(base, 'person') },
      openHome: async () => ({ path: join(base, 'home'), close: async () => {} }),
      container: { engine: null, image: null, ...container },
    },
    dispose: () => remove(base),
  };
}

let commands = 0;

/** A shell script, as it is given to `wrap`. */
export function script(
  { root, input }: TestProject,
  text: string,
  env: Readonly<Record<string, string>> = {},
): InsideCommand {
  const own = { PATH: input.env['PATH'] ?? '', HOME: input.env['HOME'] ?? '' };
  return { file: '/bin/sh', args: ['-c', text], cwd: root, env: { ...own, ...env }, mounts: [] };
}

/** Runs a command inside to its end. */
export async function runInside(
  isolation: Isolation,
  command: InsideCommand,
  input?: Uint8Array,
): Promise<CommandResult & { readonly out: string; readonly err: string }> {
  const wrapped = await isolation.wrap(command);
  const { file, args, cwd, env } = wrapped;
  commands += 1;
  const marker = `container-test-${process.pid}-${commands}`;
  const stdin = input === undefined ? {} : { input };
  try {
    const result = await runCommand(file, args, { cwd, env, marker, timeoutMs: 300_000, ...stdin });
    return { ...result, out: result.stdout.toString('utf8').trim(), err: result.stderr.toString('utf8').trim() };
  } finally {
    await wrapped.end();
  }
}
