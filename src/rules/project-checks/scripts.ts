import { type Check, Rank } from './files.ts';

/** What a project can type by name: script → its text; several lines where it has them. */
export type Scripts = ReadonlyMap<string, string>;

/** What projects call the one script that runs everything. */
const AGGREGATES = ['verify', 'check', 'ci', 'check:all', 'check-all', 'checks', 'validate', 'qa'];

/** What they call its parts; of each row the first that fits is taken. */
const PARTS: readonly { readonly rank: Check['rank']; readonly names: readonly string[] }[] = [
  {
    rank: Rank.format,
    names: ['format:check', 'format-check', 'fmt:check', 'fmt-check', 'check:format', 'check-format', 'prettier:check'],
  },
  {
    rank: Rank.lint,
    names: ['typecheck', 'type-check', 'types', 'check-types', 'check:types', 'types:check', 'type:check', 'tsc'],
  },
  { rank: Rank.lint, names: ['lint:check', 'lint:ci', 'lint', 'check:lint', 'eslint', 'cs', 'phpstan', 'analyse'] },
  { rank: Rank.test, names: ['test', 'test:ci', 'test:run', 'test:unit', 'test-unit', 'tests', 'unit', 'spec'] },
];

/** Does nothing but say something, succeed or fail: what `npm init` writes, and stand-ins of that kind. */
const ONLY_TALKS =
  /^(\s*@?-?(echo|printf)\b[^&|;]*(&&|\|\||;|\n|$)|\s*@?(exit(\s+\d+)?|false|true|:)\s*(&&|\|\||;|\n|$))+\s*$/;

/** Changes files of the project: a check judges them, and what it changes is undone. */
const CHANGES =
  /\s--(fix|write|apply|apply-unsafe|auto-?correct(-all)?|in-?place|update-?snapshots?)(?![\w-]|=false)|\b(prettier|gofmt|goimports|shfmt|xo)\b[^&|;]*\s-w(?=\s|$)|\b(clang-format|sed)\b[^&|;]*\s-i(?=\s|$)|\b(jest|vitest)\b[^&|;]*\s(-u|--update)(?=\s|$)|\brubocop\b[^&|;]*\s-[aA](?=\s|$)|\b(black|isort)\b(?![^&|;]*\s(--check|--diff|-c))|\b((cargo|deno|terraform|dprint) fmt|(ruff|mix|dart|swift) format)\b(?![^&|;]*\s(--?check|--check-formatted|--set-exit-if-changed|--diff|--lint))|\bphp-cs-fixer fix\b(?![^&|;]*--dry-run)|\bpint\b(?![^&|;]*--test)/;

/** Never ends, or waits for somebody: a check must do neither. */
const STAYS =
  /\s--watch(-?all)?(?![\w-]|=false|\s+false)|\b(tsc|mocha|ava|rollup|webpack|tape)\b[^&|;]*\s-w(?=\s|$)|\b(nodemon|watchexec|webpack-dev-server|live-server|http-server|tsx watch|cargo watch|ptw)\b|\b(vite|next|nuxt|astro)(\s+(dev|serve|start|preview))?\s*$|\b(cypress open|playwright \S+ .*--ui|vitest\b.*--ui)\b/i;

/** Leaves traces outside of the work tree. */
const REACHES_OUT = /\b(publish|deploy|release|docker push|git push|terraform apply)\b/;

/** Watches unless it is told not to; `args` tell it. */
const UNLESS_TOLD: readonly { readonly is: RegExp; readonly args: string }[] = [
  {
    is: /(^|[\s;&|])vitest(?!\s+(run|related|bench|list|--run)|\.config)(?!.*\s--run\b)(?!.*--watch=false)/,
    args: '--run',
  },
  {
    is: /\b(ng test|react-scripts test|vue-cli-service test:unit --watch)(?!.*--watch(All)?=false)/,
    args: '--watch=false',
  },
];

/** How a script is typed; `args` goes to what it runs. */
export type Typed = (script: string, args: string) => string;

/**
 * The checks among a project's scripts. One that runs everything is enough; where it leaves the tests out, those are
 * added.
 */
export function checksIn(scripts: Scripts, typed: Typed): readonly Check[] {
  const parts = PARTS.flatMap(({ rank, names }) => {
    const found = names.flatMap((name) => fitting(scripts, name, typed) ?? [])[0];
    return found === undefined ? [] : [{ rank, command: found }];
  });
  const all = AGGREGATES.flatMap((name) => {
    const command = fitting(scripts, name, typed);
    return command === null ? [] : [{ name, command }];
  })[0];
  if (all === undefined) return parts;
  const tests = parts.filter(({ rank }) => rank === Rank.test);
  if (tests.length === 0 || covers(scripts, all.name, /test|spec|vitest|jest|ctest/i))
    return [{ rank: Rank.test, command: all.command }];
  return [
    ...parts.filter((part) => !covers(scripts, all.name, mention(part))),
    { rank: Rank.lint, command: all.command },
  ];
}

/** Whether one of the scripts runs the tests; a project without such a script has its tests elsewhere. */
export function runsTests(checks: readonly Check[]): boolean {
  return checks.some(({ rank }) => rank === Rank.test);
}

function fitting(scripts: Scripts, name: string, typed: Typed): string | null {
  const text = scripts.get(name);
  if (text === undefined || ONLY_TALKS.test(text)) return null;
  const all = [text, ...calledBy(scripts, text)];
  if (all.some((one) => STAYS.test(one) || REACHES_OUT.test(one) || CHANGES.test(one))) return null;
  return typed(name, UNLESS_TOLD.find(({ is }) => is.test(text))?.args ?? '');
}

/** The texts of the scripts that one calls through its package manager. */
function calledBy(scripts: Scripts, text: string): readonly string[] {
  const called = text.matchAll(/\b(?:npm|pnpm|yarn|bun|composer|deno)(?: run| task)? ([\w:.-]+)/g);
  return [...called].flatMap(([, name = '']) => scripts.get(name) ?? []);
}

/** The script, or one that it calls by name, says so. */
function covers(scripts: Scripts, name: string, pattern: RegExp): boolean {
  const text = scripts.get(name) ?? '';
  return pattern.test(text);
}

/** The name that a part was typed with, where an aggregate would call it. */
function mention({ command }: Check): RegExp {
  const script = command.split(' ').at(-1) ?? command;
  return new RegExp(`(^|[\\s"':])${script.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}($|[\\s"'])`);
}
