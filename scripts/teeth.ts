/**
 * `npm run teeth [-- --only SWITCHES] [--jobs N]`: turns each protection off in a build of its own, and plays the rows of
 * `ralph selftest` and `ralph sandbox status --deep` that stand for it. A row that stays green then has no teeth. Ends
 * with 1 when one has none, or does not hold in the product as it is.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';
import type { Switch } from './teeth/switch.ts';
import { SWITCHES } from './teeth/switches/all.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, jobs: { type: 'string', default: '1' } },
});
const names = values.only?.split(',').map((name) => name.trim());
const chosen = SWITCHES.filter(({ name }) => names?.includes(name) ?? true);
if (chosen.length === 0 || (names && chosen.length < names.length)) {
  console.error(`No such switch. There are:\n${SWITCHES.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}

/** What a build is made of. */
const SOURCES = ['src', 'scripts', 'bin', 'dashboard', 'plugin', 'schemas', 'templates', '.claude-plugin'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'];

interface Played {
  readonly row: string;
  readonly held: boolean;
}

/** A build with these edits, in a folder of its own. */
async function buildWith(folder: string, edits: Switch['edits']): Promise<void> {
  for (const name of [...SOURCES, ...FILES]) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of edits) {
    const text = await readFile(join(folder, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold this exactly once: ${from}`);
    await writeFile(
      join(folder, file),
      text.replace(from, () => to),
    );
  }
  const built = await runProgram(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { cwd: folder });
  if (built.exitCode !== 0) throw new Error('the build failed, see above');
}

async function printedBy(folder: string, args: readonly string[]): Promise<{ readonly rows: readonly unknown[] }> {
  const place = await mkdtemp(join(tmpdir(), 'ralph-teeth-place-'));
  try {
    await runProgram('git', ['init', '-q'], { cwd: place });
    const { output } = await runProgram(process.execPath, [join(folder, 'bin/ralph.js'), ...args], {
      cwd: place,
      capture: true,
    });
    return JSON.parse(output);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function playRows(folder: string, { selftest = [], battery = [] }: Omit<Switch, 'name' | 'edits'>) {
  const played: Played[] = [];
  if (selftest.length > 0) {
    const { rows } = await printedBy(folder, ['selftest', '--json', '--only', selftest.join()]);
    for (const { name, held } of rows as { name: string; held: boolean }[]) played.push({ row: name, held });
  }
  if (battery.length > 0) {
    const args = ['sandbox', 'status', '--deep', '--json', '--backend', 'bwrap', '--only', battery.join()];
    const { rows } = await printedBy(folder, args);
    // Not tried is not red: it shows nothing.
    for (const { id, held, tried } of rows as { id: string; held: boolean; tried: boolean }[]) {
      played.push({ row: id, held: held || !tried });
    }
  }
  return played;
}

/** Rows that a switch did not turn red. */
async function toothless({ name, edits, ...rows }: Switch): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-teeth-'));
  try {
    await buildWith(folder, edits);
    const held = (await playRows(folder, rows)).filter((played) => played.held).map(({ row }) => row);
    const count = (rows.selftest?.length ?? 0) + (rows.battery?.length ?? 0);
    console.log(
      held.length === 0
        ? `✓ without ${name}: ${count} red`
        : `✗ without ${name}: still green: ${held.join(', ')} (of ${count})`,
    );
    return held;
  } catch (error) {
    console.log(`✗ without ${name}: ${error instanceof Error ? error.message : error}`);
    return [name];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const startedAt = Date.now();
const unique = (lists: readonly (readonly string[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];
const all = { selftest: unique(chosen.map((one) => one.selftest)), battery: unique(chosen.map((one) => one.battery)) };
const asItIs = (await playRows(root, all)).filter(({ held }) => !held).map(({ row }) => row);
console.log(asItIs.length === 0 ? '✓ as it is: all green' : `✗ as it is: red: ${asItIs.join(', ')}`);

const faults = [...asItIs];
const queue = [...chosen];
const work = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) faults.push(...(await toothless(next)));
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(`${chosen.length} switches in ${Math.round((Date.now() - startedAt) / 1000)} s, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
