import { type Check, fieldsOf, has, jsonFields, type ProjectFiles, Rank, textOf } from './files.ts';
import { checksIn, runsTests, type Scripts } from './scripts.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCKS: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['pnpm-workspace.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** How a manager runs a program of the project's dependencies. */
const EXEC: Readonly<Record<Manager, string>> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' };

/** How it runs the tests of every package of a workspace. */
const EVERYWHERE: Readonly<Record<Manager, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
  yarn: 'yarn workspaces run test',
  bun: "bun run --filter '*' test",
};

/** Yarn since 2 has another command for it. */
const LATER_YARN = 'yarn workspaces foreach -A run test';

/** What bun's own test program looks for. */
const BUN_TESTS = ['test', 'spec'].flatMap((word) =>
  ['.', '_'].flatMap((mark) => ['ts', 'tsx', 'js', 'jsx', 'mjs', 'mts'].map((end) => `*${mark}${word}.${end}`)),
);

/** Test programs that need no script, by what tells that they are used. */
const PROGRAMS: readonly { readonly config: readonly string[]; readonly dependency: string; readonly run: string }[] = [
  { config: ['vitest.config.ts', 'vitest.config.js', 'vitest.config.mts'], dependency: 'vitest', run: 'vitest run' },
  { config: ['jest.config.js', 'jest.config.ts', 'jest.config.cjs'], dependency: 'jest', run: 'jest' },
  { config: ['.mocharc.json', '.mocharc.yml', '.mocharc.js'], dependency: 'mocha', run: 'mocha' },
  { config: [], dependency: 'ava', run: 'ava' },
];

/** Checks of a project with a `package.json`: its scripts, else its task runner, its workspaces, its test program. */
export function nodeChecks(files: ProjectFiles): readonly Check[] {
  if (!has(files, 'package.json')) return [];
  const manifest = jsonFields(files, 'package.json');
  const manager = managerOf(files, manifest);
  const scripts = scriptsOf(manifest);
  const named = checksIn(scripts, (script, args) => typed(manager, script, args));
  if (runsTests(named)) return named;
  return [...named, ...testsWithoutScript(files, manifest, manager)];
}

function typed(manager: Manager, script: string, args: string): string {
  const command = script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;
  if (args === '') return command;
  // npm takes what it knows for itself; the others hand everything on.
  return manager === 'npm' ? `${command} -- ${args}` : `${command} ${args}`;
}

function testsWithoutScript(
  files: ProjectFiles,
  manifest: Readonly<Record<string, unknown>>,
  manager: Manager,
): readonly Check[] {
  const test = (command: string): readonly Check[] => [{ rank: Rank.test, command }];
  const run = EXEC[manager];
  if (has(files, 'turbo.json')) {
    const turbo = jsonFields(files, 'turbo.json');
    const tasks = Object.keys(fieldsOf(turbo['tasks'] ?? turbo['pipeline']));
    const known = ['lint', 'typecheck', 'check-types', 'test'].filter((task) => tasks.includes(task));
    if (known.includes('test')) return test(`${run} turbo run ${known.join(' ')}`);
  }
  if (has(files, 'nx.json')) return test(`${run} nx run-many -t lint test`);
  if (manifest['workspaces'] || has(files, 'pnpm-workspace.yaml')) {
    return test(manager === 'yarn' && isLaterYarn(files, manifest) ? LATER_YARN : EVERYWHERE[manager]);
  }
  const dependencies = { ...fieldsOf(manifest['dependencies']), ...fieldsOf(manifest['devDependencies']) };
  const program = PROGRAMS.find(({ config, dependency }) => has(files, ...config) || dependency in dependencies);
  if (program !== undefined) return test(`${run} ${program.run}`);
  return manager === 'bun' && has(files, ...BUN_TESTS) ? test('bun test') : [];
}

function isLaterYarn(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): boolean {
  return has(files, '.yarnrc.yml') || /^yarn@[2-9]/.test(textOf(manifest['packageManager']));
}

function managerOf(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): Manager {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(textOf(manifest['packageManager']))?.[1];
  return (named as Manager | undefined) ?? LOCKS.find(([lock]) => has(files, lock))?.[1] ?? 'npm';
}

/** Scripts that only call another one count as that one. */
function scriptsOf(manifest: Readonly<Record<string, unknown>>): Scripts {
  const scripts = Object.entries(fieldsOf(manifest['scripts'])).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  );
  const all = new Map(scripts);
  return new Map(scripts.map(([name, text]) => [name, calledText(all, text)]));
}

function calledText(scripts: Scripts, text: string): string {
  const called = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)$/.exec(text.trim())?.[1];
  return (called === undefined ? undefined : scripts.get(called)) ?? text;
}
