import { isCheckCommand, isCommandLine } from './check-command.ts';
import { type Fields, isFields, keyCalled, valueCalled } from './keys.ts';
import { criteriaOf, textOf } from './prd-texts.ts';

/** Folded names under which the fields of a story go in the wild; the first one that holds something counts. */
export const NAMES = {
  id: ['id', 'storyid', 'taskid', 'issueid', 'featureid', 'ticketid', 'key', 'number', 'ref'],
  title: ['title', 'name', 'summary', 'story', 'task', 'feature', 'text', 'subject', 'requirement'],
  description: ['description', 'desc', 'details', 'userstory', 'content', 'goal', 'body'],
  acceptanceCriteria: [
    'acceptancecriteria',
    'acceptance',
    'acceptancetests',
    'criteria',
    'successcriteria',
    'definitionofdone',
    'donewhen',
    'steps',
  ],
  dependsOn: ['dependson', 'dependencies', 'dependency', 'deps', 'blockedby', 'prerequisites', 'requires', 'after'],
  priority: ['priority', 'prio', 'moscow', 'rank', 'order', 'severity', 'importance'],
  notes: ['notes', 'completionnotes', 'comments', 'note'],
} as const;

export type Role = keyof typeof NAMES;

/** Folded names of what is to be run to see that a story is done. */
const CHECKS = [
  'verifycommands',
  'verifycommand',
  'verification',
  'verify',
  'testcommand',
  'testcommands',
  'testcmd',
  'buildcommand',
  'lintcommand',
  'typecheckcommand',
  'checkcommand',
  'checkcommands',
  'verificationcommand',
  'verificationcommands',
  'validationcommand',
  'test',
  'validation',
  'validationcommands',
  'checks',
  'precommit',
  'qualitygates',
  'qualitychecks',
];

/** Names that say that what stands there is typed into a shell. */
const COMMAND_KEY = /(?:commands?|cmds?|precommit|qualitychecks)$/;

/** The key that plays a role in a story; null when none does or all are empty. */
export function keyOf(fields: Fields, role: Role): string | null {
  let present: string | null = null;
  for (const name of NAMES[role]) {
    const key = keyCalled(fields, name);
    if (key === undefined) continue;
    if (!isEmpty(fields[key])) return key;
    present ??= key;
  }
  return present;
}

export function fieldOf(fields: Fields, role: Role): unknown {
  const key = keyOf(fields, role);
  return key === null ? undefined : fields[key];
}

/** The title: one line, from the description where there is no other; null when there is neither. */
export function titleOf(fields: Fields): { readonly key: string; readonly title: string } | null {
  for (const role of ['title', 'description'] as const) {
    const key = keyOf(fields, role);
    const value = key === null ? null : fields[key];
    if (key !== null && typeof value === 'string' && value.trim() !== '') {
      return { key, title: value.trim().replace(/\s+/g, ' ') };
    }
  }
  return null;
}

/** The description, with the steps where criteria stand beside them. */
export function descriptionOf(fields: Fields): string {
  const key = keyOf(fields, 'description');
  const own = key === null || key === titleOf(fields)?.key ? '' : textOf(fields[key]);
  const steps = keyCalled(fields, 'steps');
  if (steps === undefined || steps === keyOf(fields, 'acceptanceCriteria') || isEmpty(fields[steps])) return own;
  const list = criteriaOf(fields[steps]).map((step) => `- ${step}`);
  return [own, ['Steps:', ...list].join('\n')].filter((part) => part !== '').join('\n\n');
}

/** The criteria, and behind them what is to be verified otherwise than by a command that the loop could run. */
export function allCriteria(fields: Fields): readonly string[] {
  const criteria = criteriaOf(fieldOf(fields, 'acceptanceCriteria'));
  const prose = verificationOf(fields).prose.filter((text) => !criteria.includes(text));
  return prose.length === 0 ? criteria : [...criteria, ...prose];
}

/** What a story or document says about its verification. */
interface Verification {
  /** Commands that the loop can run. */
  readonly commands: readonly string[];
  /** Everything else, for people and agents to look at. */
  readonly prose: readonly string[];
  /** What of that stands under a key for commands. */
  readonly refused: readonly string[];
}

/** Asked for several times for each story. */
const known = new WeakMap<Fields, Verification>();

/**
 * Commands and prose, from every key that speaks of checks.
 * @param trustsKeys take any shell line under a key for commands. Not of a story: it is never done while a check of its
 *   own is red, and what other tools write there (`grep`s for names, paths of a machine) often cannot turn green.
 */
export function verificationOf(fields: Fields, trustsKeys = false): Verification {
  const before = known.get(fields);
  if (before) return before;
  const verification = readVerification(fields, trustsKeys);
  known.set(fields, verification);
  return verification;
}

function readVerification(fields: Fields, trustsKeys: boolean): Verification {
  const commands = new Set<string>();
  const prose: string[] = [];
  const refused: string[] = [];
  for (const name of CHECKS) {
    const key = keyCalled(fields, name);
    const value = key === undefined ? undefined : fields[key];
    if (value === undefined) continue;
    const isTrusted = COMMAND_KEY.test(name);
    for (const entry of entriesOf(value)) {
      const { command, isWhole } = commandIn(entry.text, trustsKeys && (isTrusted || entry.isCommand));
      if (command !== null) commands.add(command);
      if (command !== null && isWhole) continue;
      if (!/\p{L}/u.test(entry.text)) continue;
      prose.push(entry.name === null ? entry.text : `${entry.name}: ${entry.text}`);
      if (command === null && isTrusted) refused.push(entry.text);
    }
  }
  const criteria = fieldOf(fields, 'acceptanceCriteria');
  for (const one of Array.isArray(criteria) ? criteria : []) {
    const key = isFields(one) ? keyCalled(one, 'testcommand') : undefined;
    const said = key === undefined ? undefined : (one as Fields)[key];
    const { command } = typeof said === 'string' ? commandIn(said, false) : { command: null };
    if (command !== null) commands.add(command);
  }
  return { commands: [...commands], prose, refused };
}

interface Entry {
  readonly text: string;
  /** Its key in a map, such as `lint`. */
  readonly name: string | null;
  readonly isCommand: boolean;
}

/** Commands by name (`{"test": "npm test"}`) or in a list; flags such as `"verify": true` say nothing. */
function entriesOf(value: unknown): readonly Entry[] {
  if (typeof value === 'boolean' || typeof value === 'number' || value === null) return [];
  const plain = (text: string): Entry => ({ text, name: null, isCommand: false });
  if (isFields(value)) {
    const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    if (texts.some(([, text]) => commandIn(text, false).command !== null)) {
      return texts.map(([name, text]) => ({ text: text.trim(), name, isCommand: false }));
    }
    return criteriaOf(value).map(plain);
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry): Entry[] => {
      const command = isFields(entry) ? (valueCalled(entry, 'command') ?? valueCalled(entry, 'cmd')) : undefined;
      if (typeof command !== 'string') return criteriaOf([entry]).map(plain);
      return [{ text: command, name: null, isCommand: true }];
    });
  }
  if (typeof value !== 'string') return [];
  return value.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [plain(line.trim())]));
}

/** The command that a text is, or that stands in it as its only code; `isWhole` when the text says nothing more. */
function commandIn(text: string, isTrusted: boolean): { readonly command: string | null; readonly isWhole: boolean } {
  const [, before = '', code, after = ''] = /^([^`]*)`([^`]+)`([^`]*)$/.exec(text) ?? [];
  const command = (code ?? text).trim().replace(/^\$ /, '');
  const isWhole =
    code === undefined || (/^\W*(?:(?:run|verify|check|test)\W*)?$/i.test(before) && !/\p{L}/u.test(after));
  return isCheckCommand(command) || (isTrusted && isCommandLine(command))
    ? { command, isWhole }
    : { command: null, isWhole };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
