import { runCommand } from '../../../platform/process/run-command.ts';
import { findFile } from '../view/programs.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A `--version` of a Node program on a busy machine. */
const PATIENCE_MS = 20_000;

/** srt's own helpers on Linux, and the packages that bring them everywhere. */
const HELPERS: readonly (readonly [program: string, packaged: string])[] = [
  ['bwrap', 'bubblewrap'],
  ['socat', 'socat'],
  ['rg', 'ripgrep'],
];

/** The program, or why there is none that can be used. */
export type FoundSrt =
  | { readonly file: string; readonly version: string }
  | { readonly problem: string; readonly mend: readonly string[] };

const INSTALL = 'npm install -g @anthropic-ai/sandbox-runtime (it needs Node 22.12 or newer)';

/** Looks for srt on PATH, and asks for its version. */
export async function findSrt(env: Env, cwd: string): Promise<FoundSrt> {
  if (process.platform !== 'darwin' && process.platform !== 'linux') {
    return { problem: `srt is for macOS and Linux, not for ${process.platform}`, mend: [] };
  }
  const file = await findFile('srt', cwd, env['PATH']);
  if (file === null) return { problem: 'srt is not installed', mend: [INSTALL] };
  const missing = process.platform === 'linux' ? await missingHelpers(env, cwd) : [];
  if (missing.length > 0) {
    return { problem: `srt needs ${missing.join(', ')}`, mend: [`install the packages: ${missing.join(' ')}`] };
  }
  const { exitCode, stdout, stderr } = await runCommand(file, ['--version'], { cwd, env, timeoutMs: PATIENCE_MS });
  const version = /^\d+\.\d+\.\d+\S*/m.exec(stdout.toString('utf8'))?.[0];
  if (exitCode === 0 && version !== undefined) return { file, version };
  const complaint = stderr
    .toString('utf8')
    .trim()
    .split('\n')
    .find((line) => /error|require/i.test(line));
  return { problem: `srt --version failed: ${complaint?.trim() ?? `exit ${exitCode}`}`, mend: [INSTALL] };
}

async function missingHelpers(env: Env, cwd: string): Promise<readonly string[]> {
  const found = await Promise.all(HELPERS.map(([program]) => findFile(program, cwd, env['PATH'])));
  return HELPERS.flatMap(([, packaged], i) => (found[i] === null ? [packaged] : []));
}
