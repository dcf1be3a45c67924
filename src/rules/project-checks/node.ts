import { fieldsOf } from '../../contracts/index.ts';
import { words } from '../text/index.ts';
import { type Check, has, jsonFields, type ProjectFiles, Rank, textOf } from './files.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCKS: Readonly<Record<string, Manager>> = {
  'pnpm-lock.yaml': 'pnpm',
  'pnpm-workspace.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

/** How each manager runs a program from the project's dependencies. */
const EXEC: Readonly<Record<Manager, string>> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' };

/** How each manager runs the tests of every package in a workspace. */
const EVERYWHERE: Readonly<Record<Manager, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
  yarn: 'yarn workspaces run test',
  bun: "bun run --filter '*' test",
};

/** Yarn 2 and later have another command for that. */
const LATER_YARN = 'yarn workspaces foreach -A run test';

/** The file names that bun's test runner looks for. */
const BUN_TEST = /[._](?:test|spec)\.(?:[jt]sx?|m[jt]s)$/;

/** Test programs that need no script, with the signs that they are used. */
const PROGRAMS: readonly (readonly [dependency: string, run: string, config: string])[] = [
  ['vitest', 'vitest run', 'vitest.config.ts vitest.config.js vitest.config.mts'],
  ['jest', 'jest', 'jest.config.js jest.config.ts jest.config.cjs'],
  ['mocha', 'mocha', '.mocharc.json .mocharc.yml .mocharc.js'],
  ['ava', 'ava', ''],
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
  // npm consumes options that it knows; the others pass everything on.
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
  const program = PROGRAMS.find(([name, , config]) => has(files, ...words(config)) || name in dependencies);
  if (program !== undefined) return test(`${run} ${program[1]}`);
  return manager === 'bun' && [...files.names].some((name) => BUN_TEST.test(name)) ? test('bun test') : [];
}

function isLaterYarn(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): boolean {
  return has(files, '.yarnrc.yml') || /^yarn@[2-9]/.test(textOf(manifest['packageManager']));
}

function managerOf(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): Manager {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(textOf(manifest['packageManager']))?.[1];
  return (named as Manager | undefined) ?? Object.entries(LOCKS).find(([lock]) => has(files, lock))?.[1] ?? 'npm';
}

/** A script that only calls another one counts as that one. */
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

/** The scripts that a project can call by name: script → its text, possibly of several lines. */
export type Scripts = ReadonlyMap<string, string>;

/** Usual names of the one script that runs everything. */
const AGGREGATES = ['verify', 'check', 'ci', 'check:all', 'check-all', 'checks', 'validate', 'qa'];

/** Usual names of the parts; in each row the first match is taken. */
const PARTS: readonly (readonly [Check['rank'], names: string])[] = [
  [Rank.format, 'format:check format-check fmt:check fmt-check check:format check-format prettier:check'],
  [Rank.lint, 'typecheck type-check types check-types check:types types:check type:check tsc'],
  [Rank.lint, 'lint:check lint:ci lint check:lint eslint cs phpstan analyse'],
  [Rank.test, 'test test:ci test:run test:unit test-unit tests unit spec'],
];

/** A script that only prints, succeeds or fails: what `npm init` writes, and similar stand-ins. */
const ONLY_TALKS =
  /^(\s*@?-?(echo|printf)\b[^&|;]*(&&|\|\||;|\n|$)|\s*@?(exit(\s+\d+)?|false|true|:)\s*(&&|\|\||;|\n|$))+\s*$/;

/** A script that changes project files: a check must only judge, and its changes are undone. */
const CHANGES =
  /\s--(fix|write|apply|apply-unsafe|auto-?correct(-all)?|in-?place|update-?snapshots?)(?![\w-]|=false)|\b(prettier|gofmt|goimports|shfmt|xo)\b[^&|;]*\s-w(?=\s|$)|\b(clang-format|sed)\b[^&|;]*\s-i(?=\s|$)|\b(jest|vitest)\b[^&|;]*\s(-u|--update)(?=\s|$)|\brubocop\b[^&|;]*\s-[aA](?=\s|$)|\b(black|isort)\b(?![^&|;]*\s(--check|--diff|-c))|\b((cargo|deno|terraform|dprint) fmt|(ruff|mix|dart|swift) format)\b(?![^&|;]*\s(--?check|--check-formatted|--set-exit-if-changed|--diff|--lint))|\bphp-cs-fixer fix\b(?![^&|;]*--dry-run)|\bpint\b(?![^&|;]*--test)/;

/** A script that never ends, or waits for input: a check must do neither. */
const STAYS =
  /\s--watch(-?all)?(?![\w-]|=false|\s+false)|\b(tsc|mocha|ava|rollup|webpack|tape)\b[^&|;]*\s-w(?=\s|$)|\b(nodemon|watchexec|webpack-dev-server|live-server|http-server|tsx watch|cargo watch|ptw)\b|\b(vite|next|nuxt|astro)(\s+(dev|serve|start|preview))?\s*$|\b(cypress open|playwright \S+ .*--ui|vitest\b.*--ui)\b/i;

/** A script with effects outside the work tree. */
const REACHES_OUT = /\b(publish|deploy|release|docker push|git push|terraform apply)\b/;

/** Programs that watch unless `args` disable it. */
const UNLESS_TOLD: Readonly<Record<string, RegExp>> = {
  '--run': /(^|[\s;&|])vitest(?!\s+(run|related|bench|list|--run)|\.config)(?!.*\s--run\b)(?!.*--watch=false)/,
  '--watch=false': /\b(ng test|react-scripts test|vue-cli-service test:unit --watch)(?!.*--watch(All)?=false)/,
};

/** The command line of a script; `args` go to the program that it runs. */
type Typed = (script: string, args: string) => string;

/**
 * The checks among a project's scripts. One that runs everything is enough; if it leaves out the tests, those are
 * added.
 */
export function checksIn(scripts: Scripts, typed: Typed): readonly Check[] {
  const parts = PARTS.flatMap(([rank, names]) => {
    const [found] = words(names).flatMap((name) => fitting(scripts, name, typed) ?? []);
    return found === undefined ? [] : [{ rank, command: found }];
  });
  const [all] = AGGREGATES.flatMap((name) => {
    const command = fitting(scripts, name, typed);
    return command === null ? [] : [{ text: scripts.get(name) ?? '', command }];
  });
  if (all === undefined) return parts;
  if (!runsTests(parts) || /test|spec|jest/i.test(all.text)) return [{ rank: Rank.test, command: all.command }];
  return [...parts.filter((part) => !mention(part).test(all.text)), { rank: Rank.lint, command: all.command }];
}

export function runsTests(checks: readonly Check[]): boolean {
  return checks.some(({ rank }) => rank === Rank.test);
}

function fitting(scripts: Scripts, name: string, typed: Typed): string | null {
  const text = scripts.get(name);
  if (text === undefined || ONLY_TALKS.test(text)) return null;
  const all = [text, ...calledBy(scripts, text)];
  if (all.some((one) => STAYS.test(one) || REACHES_OUT.test(one) || CHANGES.test(one))) return null;
  return typed(name, Object.entries(UNLESS_TOLD).find(([, watches]) => watches.test(text))?.[0] ?? '');
}

/** The texts of the scripts that a script calls through its package manager. */
function calledBy(scripts: Scripts, text: string): readonly string[] {
  const called = text.matchAll(/\b(?:npm|pnpm|yarn|bun|composer|deno)(?: run| task)? ([\w:.-]+)/g);
  return [...called].flatMap(([, name = '']) => scripts.get(name) ?? []);
}

function mention({ command }: Check): RegExp {
  const script = command.split(' ').at(-1) ?? command;
  return new RegExp(`(^|[\\s"':])${script.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}($|[\\s"'])`);
}
