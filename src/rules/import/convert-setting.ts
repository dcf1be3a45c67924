/** How a value of another loop becomes one of ours. */
export type Conversion =
  | 'text'
  | 'number'
  | 'count'
  | 'flag'
  | 'milliseconds'
  | 'seconds'
  | 'minutes'
  | 'agent'
  | 'program'
  | 'permissions'
  | 'command'
  | 'commands';

/** Programs as other loops call them, and the agent that stands for each. */
const AGENTS: Readonly<Record<string, string>> = {
  claude: 'claude',
  'claude-code': 'claude',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini',
  'gemini-cli': 'gemini',
  copilot: 'copilot',
  droid: 'droid',
  'factory-droid': 'droid',
};

const CONVERSIONS: Readonly<Record<Conversion, (value: unknown) => unknown>> = {
  text: (value) => words(value),
  number: (value) => atLeast(value, 0),
  count: (value) => wholeNumber(value),
  flag: (value) => flagOf(value),
  milliseconds: (value) => lasting(value, 'ms'),
  seconds: (value) => lasting(value, 's'),
  minutes: (value) => lasting(value, 'm'),
  agent: (value) => AGENTS[programName(value)] ?? null,
  program: (value) => (/^[\w./-]+$/.test(words(value) ?? '') ? words(value) : null),
  permissions: (value) => (value === 'bypassPermissions' || value === 'acceptEdits' ? value : null),
  command: (value) => (words(value) === null ? null : [words(value)]),
  commands: (value) => commandList(value),
};

/** The value as a setting of ours, or null when it cannot be one (a limit of 0, an unknown agent). */
export function convertSetting(conversion: Conversion, value: unknown): unknown {
  return CONVERSIONS[conversion](value);
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function atLeast(value: unknown, least: number): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= least ? number : null;
}

function wholeNumber(value: unknown): number | null {
  const number = atLeast(value, 1);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const word = String(value).trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : null;
}

/** A number and its unit; text that has a unit already keeps it. */
function lasting(value: unknown, unit: 'ms' | 's' | 'm'): string | null {
  if (typeof value === 'string' && /^\d+(ms|s|m|h)$/.test(value.trim())) return value.trim();
  const number = wholeNumber(value);
  return number === null ? null : `${number}${unit}`;
}

/** `/usr/bin/codex exec --yolo -` → `codex`. */
function programName(value: unknown): string {
  const first = (words(value) ?? '').split(/\s+/)[0] ?? '';
  return (first.split('/').at(-1) ?? '').toLowerCase();
}

function commandList(value: unknown): readonly string[] | null {
  const list = Array.isArray(value) ? value : [value];
  const commands = list.map(words);
  return commands.length > 0 && commands.every((command) => command !== null) ? commands : null;
}
