import { ConfigError } from '../../../contracts/errors.ts';
import { nearest } from '../../../rules/nearest.ts';
import type { JudgedSetting, Layer, SettingName, SettingSource } from './config-layer.ts';

type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = 'RALPH_';

/** Names of the older loops; each gives way to the `RALPH_*` variable of the same setting. */
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

/** `RALPH_*` variables that are no settings: the loop's own, and those for people who look into it. */
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

/** Variables of the older loops that say where to work; `findWorkspace` reads them. */
const PLACES = ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'];

/** An environment without anything that is meant for a person's own runs: for demonstrations and trials. */
export function withoutSettings(env: Env): Env {
  const isSetting = (name: string) => name.startsWith(PREFIX) || Object.hasOwn(ALIASES, name) || PLACES.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)));
}

/**
 * What the environment sets. An empty variable counts as absent.
 * @throws ConfigError for a value that its setting does not take.
 */
export function readConfigEnv(
  env: Env,
  settings: readonly JudgedSetting[],
): { readonly layer: Layer; readonly warnings: readonly string[] } {
  const layer = new Map<string, SettingSource>();
  for (const setting of settings) {
    const alias = Object.keys(ALIASES).find((name) => ALIASES[name] === setting.key);
    for (const variable of [variableOf(setting), alias ?? '']) {
      const text = env[variable];
      if (!text || layer.has(setting.key)) continue;
      layer.set(setting.key, { source: 'env', where: variable, value: read(setting, variable, text) });
    }
  }
  return { layer, warnings: unknownVariables(env, settings) };
}

/** `checks.timeout` → `RALPH_CHECKS_TIMEOUT` */
function variableOf(setting: SettingName): string {
  return `${PREFIX}${setting.path.join('_')}`
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}

/** The setting's own schema decides how a text is meant: as it stands, as a number, a boolean or a list. */
function read(setting: JudgedSetting, variable: string, text: string): unknown {
  for (const candidate of readings(text)) {
    if (setting.complaint(candidate) === null) return candidate;
  }
  throw new ConfigError({
    what: `${variable} ${setting.complaint(text) ?? 'has no usable value'}, not '${text}'`,
    where: 'environment',
    mend: [`correct ${variable} or unset it`],
  });
}

/** What a text may be meant as, the likeliest first. */
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

function unknownVariables(env: Env, settings: readonly SettingName[]): readonly string[] {
  const known = [...NO_SETTINGS, ...settings.map(variableOf)];
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.sort().map((name) => {
    // The prefix they all share would make every short name look near.
    const near = nearest(
      name.slice(PREFIX.length),
      known.map((other) => other.slice(PREFIX.length)),
    );
    return `${name} is no variable of ralph${near === null ? '' : `; did you mean ${PREFIX}${near}?`}`;
  });
}
