import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import type { Check } from '../suites/checks.ts';

/** Everything a user downloads: what else lands in the tarball got there by accident. */
const SHIPPED =
  /^(\.claude-plugin|bin|dist|docs|plugin|templates|schemas|examples)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
/** Sources, hidden files, and code compiled here; the types of plugins are for those who write one. */
const NEVER_SHIPPED = /(?<!^dist\/plugin\.d)\.(ts|map)$|\.cjs\.|(^|\/)\.(?!claude-plugin\/)/;
const MAX_TARBALL_BYTES = 2_100_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Looks at the package as a user gets it: packed, installed into an empty folder, run. Leaves the installation in
 * `<folder>/installed` for the matrix to run on other Nodes.
 *
 * @param folder an empty temp folder
 */
export async function checkPackage(folder: string, check: Check): Promise<void> {
  let packed: Packed | null = null;
  await check('publint', lintPackage);
  await check('npm pack', async () => {
    packed = await pack(folder);
    judgeTarball(packed);
  });
  await check('the tarball installs into an empty folder', async () => {
    if (packed === null) throw new Error('there is no tarball');
    await install(join(folder, packed.filename), join(folder, 'installed'));
  });
  await check('the installed ralph tells its version', async () => {
    const { output } = await runInstalled(folder, ['--version'], { capture: true });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    if (output.trim() !== version) throw new Error(`it says '${output.trim()}', package.json says '${version}'`);
  });
  await check('the installed ralph runs the demo', () => runDemo(folder));
}

/** Runs `ralph demo` of the installed package on a Node. @throws when it does not end COMPLETE */
export async function runDemo(folder: string, node: string = process.execPath): Promise<void> {
  const { exitCode, output } = await runInstalled(folder, ['demo'], { node, capture: true });
  if (exitCode !== 0) throw new Error(`ralph demo ended with ${exitCode ?? 'a signal'}:\n${output}`);
}

async function lintPackage(): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true, pack: 'npm' });
  if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join('\n'));
}

async function pack(folder: string): Promise<Packed> {
  // Else the output of the build that npm runs first would land in the JSON.
  const args = ['pack', '--json', '--silent', '--foreground-scripts=false', '--pack-destination', folder];
  const { exitCode, output } = await runProgram('npm', args, { cwd: root, capture: true });
  const packed = exitCode === 0 ? (JSON.parse(output) as readonly Packed[])[0] : undefined;
  if (packed === undefined) throw new Error(`npm pack ended with ${exitCode ?? 'a signal'}`);
  return packed;
}

function judgeTarball({ size, files }: Packed): void {
  if (size > MAX_TARBALL_BYTES) throw new Error(`the tarball has ${size} bytes, ${MAX_TARBALL_BYTES} are allowed`);
  const paths = files.map((file) => file.path);
  const strays = paths.filter((path) => !SHIPPED.test(path) || NEVER_SHIPPED.test(path));
  if (strays.length > 0) throw new Error(`the tarball has files of development: ${strays.join(', ')}`);
  const needed = [
    'bin/ralph.js',
    'dist/main.cjs',
    'dist/scripted-agent.cjs',
    'dist/dashboard/index.html',
    'dist/plugin-host.js',
    'dist/plugin.d.ts',
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/man/ralph.1',
    'docs/guide.md',
    'plugin/hook.cjs',
    'plugin/skills/ralph-plan/SKILL.md',
    'LICENSE',
  ];
  const missing = needed.filter((path) => !paths.includes(path));
  if (missing.length > 0) throw new Error(`the tarball lacks ${missing.join(', ')}`);
  console.log(`${paths.length} files, ${Math.round(size / 1000)} kB packed`);
}

async function install(tarball: string, into: string): Promise<void> {
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball];
  const { exitCode } = await runProgram('npm', args, { cwd: into });
  if (exitCode !== 0) throw new Error(`npm install ended with ${exitCode ?? 'a signal'}`);
}

function runInstalled(
  folder: string,
  args: readonly string[],
  { node = process.execPath, capture = false }: { readonly node?: string; readonly capture?: boolean },
) {
  const cwd = join(folder, 'installed');
  // The demo keeps its repository in the temp folder for the user to look at; in CI no user does.
  const env = { ...process.env, TMPDIR: folder };
  return runProgram(node, [join(cwd, 'node_modules/.bin/ralph'), ...args], { cwd, env, capture });
}
