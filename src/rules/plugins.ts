import * as z from 'zod/mini';
import type { Frozen, TestCounts } from '../contracts/index.ts';

/** A reply of the right shape, or a few words about the fault in it. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

/** What a plugin answered. */
export interface Said<T> {
  readonly plugin: string;
  readonly value: T;
}

/** A plugin's text goes into prompts, the ledger and the summary of a run, so its length is limited. */
const MOST_CHARACTERS = 2_000;
const MOST_NOTES = 10;

const OUTCOMES = ['pass', 'fail', 'error', 'no-tests', 'unknown'] as const satisfies readonly TestCounts['outcome'][];

/** What is wrong with a reply: an object is named in it. */
const but = (wanted: string) => ({
  error: ({ input }: { readonly input?: unknown }) => `${wanted}, not ${kindOf(input)}`,
});
/** A reply that is missing, or null, says nothing. */
const reply = <S extends z.ZodMiniType>(shape: S) => z._default(z.nullable(shape), null);

const NOTES = 'notes must be a list of strings';
const analysis = reply(
  z.object(
    {
      completion: z._default(z.boolean(but('completion must be true or false')), false),
      blocked: z._default(
        z.nullable(z.pipe(z.string(but('blocked must be a sentence')), z.transform(shortened))),
        null,
      ),
      notes: z._default(z.array(z.pipe(z.string(NOTES), z.transform(shortened)), NOTES), []),
    },
    but('an analysis must be an object or null'),
  ),
);

/** An analyzer's findings, with every field present. */
export type Found = Frozen<NonNullable<z.output<typeof analysis>>>;

/** The reply of an analyzer; null when it found nothing. */
export function checkAnalysis(said: unknown): Checked<Found | null> {
  const checked = judged(analysis, said);
  if ('wrong' in checked || checked.value === null) return checked;
  const { completion, blocked, notes } = checked.value;
  const value = {
    completion,
    blocked: blocked || null,
    notes: notes.filter((note) => note !== '').slice(0, MOST_NOTES),
  };
  return { value };
}

const reason = reply(z.string(but('a reason to end the run must be a sentence or null')));

/** The reply of an exit condition: its reason to end the run, or null. */
export function checkReason(said: unknown): Checked<string | null> {
  const checked = judged(reason, said);
  return 'wrong' in checked || checked.value === null
    ? checked
    : { value: shortened(checked.value) || 'it gave no reason' };
}

const COUNTS = 'passed and failed must be counts of tests, or null';
const tests = z._default(z.nullable(z.int(COUNTS).check(z.gte(0, COUNTS))), null);
const CONFIDENCE = 'confidence must be a number from 0 to 1';
const judgement = reply(
  z.object(
    {
      outcome: z.enum(OUTCOMES, `outcome must be one of ${OUTCOMES.join(', ')}`),
      passed: tests,
      failed: tests,
      confidence: z._default(z.number(CONFIDENCE).check(z.gte(0, CONFIDENCE), z.lte(1, CONFIDENCE)), 0.9),
    },
    but('a judgement must be an object or null'),
  ),
);

/** A plugin's judgement on a test run, with every field present. */
export type Judged = Frozen<NonNullable<z.output<typeof judgement>>>;

/** The reply of a test detector; null when it does not handle the command. */
export function checkJudgement(said: unknown): Checked<Judged | null> {
  return judged(judgement, said);
}

const textOr = (name: string) => z._default(z.string(but(`${name} of an issue must be a string`)), '');
const issues = reply(
  z.array(
    z.object(
      {
        id: z.string(but('id of an issue must be a string')),
        title: z.string(but('title of an issue must be a string')),
        body: textOr('body'),
        url: textOr('url'),
        author: textOr('author'),
        labels: z._default(z.array(z.string(), but('labels of an issue must be a list of strings')), []),
      },
      but('an issue must be an object'),
    ),
    but('the issues must be a list or null'),
  ),
);

/** An issue that a plugin imports, with every field present. */
export type ToldIssue = Frozen<NonNullable<z.output<typeof issues>>>[number];

/** The reply of an importer; null when the source is not its own. */
export function checkIssues(said: unknown): Checked<readonly ToldIssue[] | null> {
  return judged(issues, said);
}

function judged<T>(shape: z.ZodMiniType<T>, said: unknown): Checked<T> {
  const { data, error } = shape.safeParse(said);
  return error === undefined ? { value: data as T } : { wrong: error.issues[0]?.message ?? '' };
}

/** The combined findings of several analyzers; the first that reports a blocker counts. */
export function joined(found: readonly Found[]): Found {
  return {
    completion: found.some(({ completion }) => completion),
    blocked: found.find(({ blocked }) => blocked !== null)?.blocked ?? null,
    notes: found.flatMap(({ notes }) => notes).slice(0, MOST_NOTES),
  };
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MOST_CHARACTERS ? `${trimmed.slice(0, MOST_CHARACTERS)}…` : trimmed;
}

/** Failure messages and how to fix them; the first match counts. */
const WAYS: readonly (readonly [message: RegExp, fix: string])[] = [
  [
    /Cannot use import statement|Unexpected token 'export'|require\(\) of ES Module|exports is not defined/,
    'name the file .mjs, or set "type": "module" in the package.json above it',
  ],
  [/require is not defined|module is not defined/, 'name the file .cjs, or write `import` and `export default`'],
  [/Unknown file extension "\.[cm]?ts"/, 'this Node.js does not run TypeScript: compile the file, and name the .js'],
  [/Cannot find package/, 'install that package in the project, or remove its import'],
  [/Cannot find module/, "name the file in the import as it is called, ending included, from the plugin's own folder"],
  [
    /its default export is not a plugin|it has none of/,
    "export default { name: '…', exitWhen() { … } }; see docs/plugins.md",
  ],
  [/it needs version/, 'update ralph, or use an earlier version of the plugin'],
  [/longer than/, 'do less at the top of the module: it is loaded before the first iteration'],
  [/MB of memory/, 'keep less in memory while it is loaded'],
];

/** How to fix a plugin that cannot be loaded. @param use as the configuration names it */
export function fixFor(use: string, message: string): string {
  const [, fix] = WAYS.find(([pattern]) => pattern.test(message)) ?? [];
  return fix ?? `fix ${use} or its options, or remove it from \`plugins\``;
}

/** `import … from './plugins/x'`, `export … from './plugins/x'`, `import './plugins/x'`, `import('./plugins/x')`, `require('./x')`, `new URL('./plugins/x', …)`. */
const RELATIVE = /(?:\bfrom|\bimport|\brequire|\bURL)\s*\(?\s*(['"`])(\.\.?\/[^'"`\n]*)\1/g;

/**
 * The files that a module's text names with a relative path, joined to its folder: relative to the root, without those
 * outside it. Read from the text, so that no code has to run: paths computed at run time are not found.
 * @param file the module's path relative to the root, `/`-separated
 */
export function localImports(file: string, text: string): readonly string[] {
  const folder = file.split('/').slice(0, -1);
  const found = new Set<string>();
  for (const [, , specifier = ''] of text.matchAll(RELATIVE)) {
    const path = joinedTo(folder, specifier.replace(/[?#].*$/, ''));
    if (path !== null) found.add(path);
  }
  return [...found];
}

/** A relative path resolved from a folder, `.` and `..` folded; null when it leaves the root. */
export function joinedTo(folder: readonly string[], path: string): string | null {
  const parts = [...folder];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length > 0 ? parts.join('/') : null;
}

/** `import … from 'x'`, `import 'x'`, `import('x')`, `require('x')`, `require.resolve('x')`. */
const BARE =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s*\(?\s*(['"`])((?:@[^/'"`\s]+\/)?[^./'"`\s][^/'"`\s]*)(?:\/[^'"`\n]*)?\1/g;

/** The packages that a module's text names; Node's own modules may be among them. */
export function packagesNamed(text: string): readonly string[] {
  return [...new Set([...text.matchAll(BARE)].map(([, , name = '']) => name))].filter(
    (name) => name !== '' && !name.startsWith('node:'),
  );
}
