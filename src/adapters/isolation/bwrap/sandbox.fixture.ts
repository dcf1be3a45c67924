import { join } from 'node:path';
import { makeDir, makeTempDir, remove, runCommand, type Supervised, supervise } from '../../../platform/index.ts';
import type { InsideWorkspace, Isolation, IsolationInput, Mount, Policy, Refusal } from '../port.ts';
import { buildBridge } from '../view/bridge.fixture.ts';
import { openBwrap } from './open.ts';

interface Sandboxed {
  readonly exitCode: number | null;
  readonly output: string;
}

/** A prepared sandbox with a work tree, a home folder for the inside, and one that stands for the person's. */
export interface Ground {
  readonly base: string;
  readonly project: string;
  readonly person: string;
  readonly isolation: Isolation;
  readonly refusals: Refusal[];
  /** Runs a shell script inside to its end, as a check is run. */
  sh(script: string, options?: { readonly mounts?: readonly Mount[]; readonly env?: Env }): Promise<Sandboxed>;
  /** Starts it as an agent is started; its standard output comes line by line. */
  start(script: string): Promise<{ readonly process: Supervised; readonly lines: string[] }>;
  dispose(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

const POLICY: Policy = {
  hosts: [],
  localPorts: [],
  read: [],
  write: [],
  memoryBytes: 1024 ** 3,
  processes: 400,
  cpus: null,
};

let grounds = 0;

/** @param make fills the folders, and says what of them is read-only; paths below `base` */
export async function openGround(
  policy: Partial<Policy> = {},
  make: (folders: {
    project: string;
    person: string;
    base: string;
  }) => Promise<Partial<InsideWorkspace>> = async () => ({}),
): Promise<Ground> {
  await buildBridge();
  const base = await makeTempDir('ralph-bwrap-');
  const [project, person, home] = [join(base, 'project'), join(base, 'person'), join(base, 'home')];
  for (const folder of [project, person, home]) await makeDir(folder);
  const workspace = { root: project, readOnly: [], writable: [], ...(await make({ project, person, base })) };
  const env = { PATH: process.env['PATH'] ?? '', HOME: person };
  const input: IsolationInput = {
    workspace,
    policy: { ...POLICY, ...policy },
    env,
    openHome: async () => ({ path: home, close: async () => {} }),
    container: { engine: null, image: null },
  };
  const isolation = openBwrap(input);
  const refusals: Refusal[] = [];
  grounds += 1;
  const run = `bwrap-${process.pid}-${grounds}`;
  await isolation.prepare({ run, localPorts: [], onRefusal: (refusal) => refusals.push(refusal) });
  const wrap = (script: string, mounts: readonly Mount[] = [], more: Env = {}) =>
    isolation.wrap({ file: 'sh', args: ['-c', script], cwd: project, env: { ...env, ...more }, mounts });
  return {
    base,
    project,
    person,
    isolation,
    refusals,
    sh: async (script, options = {}) => {
      const { file, args, cwd, env } = await wrap(script, options.mounts, options.env);
      const result = await runCommand(file, args, { cwd, env, marker: run, timeoutMs: 300_000 });
      return { exitCode: result.exitCode, output: `${result.stdout}${result.stderr}` };
    },
    start: async (script) => {
      const { file, args, cwd, env } = await wrap(script);
      const lines: string[] = [];
      const onStdout = (chunk: Buffer) => void lines.push(...String(chunk).split('\n').filter(Boolean));
      const output = { onStdout, onStderr: () => {} };
      return { process: await supervise({ file, args, cwd, env, stdin: '', marker: run, ...output }), lines };
    },
    dispose: async () => {
      await isolation.dispose();
      await remove(base);
    },
  };
}
