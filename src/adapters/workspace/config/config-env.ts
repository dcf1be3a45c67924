import { ConfigError } from '../../../contracts/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import { complaint, type Setting } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = 'RALPH_';

/** Variable names of earlier loops; the `RALPH_*` variable of the same setting takes precedence. */
const ALIASES: Readonly<Record<string, string>> = {
  MAX_ITERATIONS: 'maxIterations',
  AGENT: 'agent',
  TIMEOUT_AGENT: 'timeout',
  MAX_ALLOWED_ITERATIONS: 'maxAllowedIterations',
  CLAUDE_CONTEXT_WINDOW: 'context.window',
  CB_NO_PROGRESS_THRESHOLD: 'circuit.noProgress',
  CB_SAME_ERROR_THRESHOLD: 'circuit.sameError',
  CB_OUTPUT_DECLINE_THRESHOLD: 'circuit.outputDecline',
};

/** `RALPH_*` variables that are not settings: the loop's own, and those for people who debug it. */
const NO_SETTINGS = [
  'RALPH_ROOT',
  'RALPH_DEBUG',
  'RALPH_TRUST',
  'RALPH_CRASHPOINT',
  'RALPH_RUN_ID',
  'RALPH_ITERATION',
  'RALPH_MODE',
  'RALPH_STORY_ID',
  'RALPH_ATTEMPT',
  'RALPH_REVIEW_COUNT',
  'RALPH_TRY',
  'RALPH_CONTROL_URL',
  'RALPH_CONTROL_TOKEN',
  'RALPH_PROMPT_FILE',
  'RALPH_SPOOL',
];

/** Variables of earlier loops that say where to work; `findWorkspace` reads them. */
const PLACES = ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'];

/** An environment without the variables meant for a user's own runs: for demonstrations and trials. */
export function withoutSettings(env: Env): Env {
  const isSetting = (name: string) => name.startsWith(PREFIX) || Object.hasOwn(ALIASES, name) || PLACES.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)));
}

/** The settings of the environment, and what is wrong there. An empty variable counts as absent. */
export function readEnvironment(env: Env, settings: readonly Setting[]) {
  const values = new Map<string, { readonly where: string; readonly value: unknown }>();
  const errors: ConfigError[] = [];
  for (const setting of settings) {
    const alias = Object.keys(ALIASES).find((name) => ALIASES[name] === setting.key);
    const where = [variableOf(setting), alias ?? ''].find((name) => env[name]);
    const text = where === undefined ? '' : (env[where] ?? '');
    if (where === undefined) continue;
    const [value] = readings(text).filter((candidate) => complaint(setting, candidate) === null);
    if (value !== undefined) values.set(setting.key, { where, value });
    else errors.push(notUsable(where, text, complaint(setting, text)));
  }
  return { values, errors, warnings: unknownVariables(env, settings) };
}

/** `checks.timeout` → `RALPH_CHECKS_TIMEOUT` */
function variableOf(setting: Setting): string {
  return `${PREFIX}${setting.path.join('_')}`
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}

function notUsable(variable: string, text: string, wrong: string | null): ConfigError {
  return new ConfigError({
    what: `${variable} ${wrong ?? 'has no usable value'}, not '${text}'`,
    where: 'environment',
    mend: [`correct ${variable} or unset it`],
  });
}

/** Possible meanings of a text, most likely first: the setting's own schema decides. */
function readings(text: string): readonly unknown[] {
  const trimmed = text.trim();
  const word = trimmed.toLowerCase();
  return [
    trimmed,
    ...(/^-?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : []),
    ...(['1', 'true', 'yes', 'on'].includes(word) ? [true] : []),
    ...(['0', 'false', 'no', 'off'].includes(word) ? [false] : []),
    ...jsonList(trimmed),
    trimmed
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ];
}

function jsonList(text: string): readonly unknown[] {
  if (!text.startsWith('[')) return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function unknownVariables(env: Env, settings: readonly Setting[]): readonly string[] {
  const known = [...NO_SETTINGS, ...settings.map(variableOf)];
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.sort().map((name) => {
    // The prefix they all share would make every short name seem similar.
    const near = nearest(
      name.slice(PREFIX.length),
      known.map((other) => other.slice(PREFIX.length)),
    );
    return `${name} is no variable of ralph${near === null ? '' : `; did you mean ${PREFIX}${near}?`}`;
  });
}
