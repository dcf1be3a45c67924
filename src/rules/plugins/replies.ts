import type { Analysis, TestJudgement, TestOutcome } from '../../plugins/plugin.ts';

/** An analyzer's findings, with every field present. */
export interface Found {
  readonly completion: boolean;
  readonly blocked: string | null;
  readonly notes: readonly string[];
}

/** A plugin's judgement on a test run, with every field present. */
export interface Judged {
  readonly outcome: TestOutcome;
  readonly passed: number | null;
  readonly failed: number | null;
  readonly confidence: number;
}

/** A reply of the right shape, or a few words about the fault in it. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

/** A plugin's text goes into prompts, the ledger and the summary of a run, so its length is limited. */
const MOST_CHARACTERS = 2_000;
const MOST_NOTES = 10;

const OUTCOMES: readonly TestOutcome[] = ['pass', 'fail', 'error', 'no-tests'];

/** The reply of an analyzer; null when it found nothing. */
export function checkAnalysis(reply: unknown): Checked<Found | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (!isObject(reply)) return { wrong: `an analysis is an object or null, not ${kindOf(reply)}` };
  const { completion = false, blocked = null, notes = [] } = reply as { readonly [Key in keyof Analysis]?: unknown };
  if (typeof completion !== 'boolean') return { wrong: `completion is true or false, not ${kindOf(completion)}` };
  if (blocked !== null && typeof blocked !== 'string')
    return { wrong: `blocked is a sentence, not ${kindOf(blocked)}` };
  if (!Array.isArray(notes) || !notes.every((note) => typeof note === 'string'))
    return { wrong: 'notes is a list of texts' };
  const said = notes.map(shortened).filter((note) => note !== '');
  return {
    value: {
      completion,
      blocked: blocked === null ? null : shortened(blocked) || null,
      notes: said.slice(0, MOST_NOTES),
    },
  };
}

/** The reply of an exit condition: its reason to end the run, or null. */
export function checkReason(reply: unknown): Checked<string | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (typeof reply !== 'string')
    return { wrong: `a reason to end the run is a sentence or null, not ${kindOf(reply)}` };
  return { value: shortened(reply) || 'it gave no reason' };
}

/** The reply of a test detector; null when it does not handle the command. */
export function checkJudgement(reply: unknown): Checked<Judged | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (!isObject(reply)) return { wrong: `a judgement is an object or null, not ${kindOf(reply)}` };
  const {
    passed = null,
    failed = null,
    confidence = 0.9,
    ...rest
  } = reply as {
    readonly [Key in keyof TestJudgement]?: unknown;
  };
  const outcome = OUTCOMES.find((one) => one === rest.outcome);
  if (!outcome) return { wrong: `outcome is one of ${OUTCOMES.join(', ')}` };
  if (!isCount(passed) || !isCount(failed)) return { wrong: 'passed and failed are counts of tests, or null' };
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    return { wrong: 'confidence is a number from 0 to 1' };
  return { value: { outcome, passed, failed, confidence } };
}

/** The combined findings of several analyzers; the first that reports a blocker counts. */
export function joined(found: readonly Found[]): Found {
  return {
    completion: found.some(({ completion }) => completion),
    blocked: found.find(({ blocked }) => blocked !== null)?.blocked ?? null,
    notes: found.flatMap(({ notes }) => notes).slice(0, MOST_NOTES),
  };
}

function isCount(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MOST_CHARACTERS ? `${trimmed.slice(0, MOST_CHARACTERS)}…` : trimmed;
}

/** Failure messages and how to fix them; the first match counts. */
const WAYS: readonly (readonly [message: RegExp, mend: string])[] = [
  [
    /Cannot use import statement|Unexpected token 'export'|require\(\) of ES Module|exports is not defined/,
    'name the file .mjs, or set "type": "module" in the package.json above it',
  ],
  [/require is not defined|module is not defined/, 'name the file .cjs, or write `import` and `export default`'],
  [/Unknown file extension "\.[cm]?ts"/, 'this Node.js runs no TypeScript: compile the file, and name the .js'],
  [/Cannot find package/, 'install that package in the project, or do without its import'],
  [/Cannot find module/, "name the file in the import as it is called, ending included, from the plugin's own folder"],
  [
    /its default export is no plugin|it has none of/,
    "export default { name: '…', exitWhen() { … } }; see docs/plugins.md",
  ],
  [/it needs version/, 'update ralph, or take an earlier version of the plugin'],
  [/longer than/, 'do less at the top of the module: it is loaded before the first iteration'],
  [/MB of memory/, 'keep less in memory while it is loaded'],
];

/** How to fix a plugin that cannot be loaded. @param use as the configuration names it */
export function mendFor(use: string, message: string): string {
  const [, mend] = WAYS.find(([pattern]) => pattern.test(message)) ?? [];
  return mend ?? `mend ${use} or its options, or take it out of \`plugins\``;
}

/** `import … from './x'`, `export … from './x'`, `import './x'`, `import('./x')`, `require('./x')`, `new URL('./x', …)`. */
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
