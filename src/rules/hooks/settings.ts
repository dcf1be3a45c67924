import { findNodeAtLocation, getNodeValue, type JSONPath, type Node, parse, parseTree } from 'jsonc-parser';
import { lineAt, lineEnding } from '../backlog/index.ts';

export const EMPTY_SETTINGS = '{}\n';

/** The text of a settings file with exactly these entries of ralph. Expects valid JSON without faults. */
export function withHooks(text: string, groups: HookGroups): string {
  if (hasHooks(text, groups)) return text;
  let edited = withoutHooks(text);
  if (!('hooks' in parse(edited))) edited = setAt(edited, ['hooks'], {});
  for (const [event, list] of Object.entries(groups)) {
    for (const group of list) {
      const known = hooksIn(edited)[event] !== undefined;
      edited = known ? appendAt(edited, ['hooks', event], group) : setAt(edited, ['hooks', event], [group]);
    }
  }
  return edited;
}

/** The text without our entries, and without the lists and objects that become empty. */
export function withoutHooks(text: string): string {
  let edited = text;
  for (const [event, groups] of Object.entries(hooksIn(text))) {
    // Backwards, so that the indexes of earlier entries stay valid.
    for (const [i, { hooks }] of [...groups.entries()].reverse()) {
      const ours = [...hooks.entries()].filter(([, hook]) => isOurs(hook)).reverse();
      if (ours.length === hooks.length && ours.length > 0) edited = removeAt(edited, ['hooks', event, i]);
      else for (const [j] of ours) edited = removeAt(edited, ['hooks', event, i, 'hooks', j]);
    }
    const emptied = groups.length > 0 && hooksIn(edited)[event]?.length === 0;
    if (emptied) edited = removeAt(edited, ['hooks', event]);
  }
  const emptied = edited !== text && Object.keys(hooksIn(edited)).length === 0;
  return emptied ? removeAt(edited, ['hooks']) : edited;
}

/** Whether exactly these entries of ralph are there, besides any others. */
export function hasHooks(text: string, wanted: HookGroups): boolean {
  const ours = ourGroups(text);
  const events = new Set([...ours.keys(), ...Object.keys(wanted)]);
  return [...events].every((event) => JSON.stringify(ours.get(event)) === JSON.stringify(wanted[event]));
}

export function hasAnyHooks(text: string): boolean {
  return ourGroups(text).size > 0;
}

function ourGroups(text: string): ReadonlyMap<string, readonly Group[]> {
  const ours = new Map<string, readonly Group[]>();
  for (const [event, groups] of Object.entries(hooksIn(text))) {
    const own = groups.filter(({ hooks }) => hooks.some(isOurs));
    if (own.length > 0) ours.set(event, own);
  }
  return ours;
}

interface Group {
  readonly hooks: readonly unknown[];
}

/** The entries of a file by event; a value that does not have the form of an entry has no hooks. */
function hooksIn(text: string): Readonly<Record<string, readonly Group[]>> {
  const { hooks } = parse(text) as { readonly hooks?: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(hooks ?? {}).map(([event, groups]) => [event, Array.isArray(groups) ? groups.map(groupOf) : []]),
  );
}

function groupOf(group: { readonly hooks?: unknown } | null): Group {
  return Array.isArray(group?.hooks) ? (group as Group) : { hooks: [] };
}

/** One hook entry of a client's settings, as the file holds it. */
interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    /** Seconds. */
    readonly timeout: number;
    /** `block` stops the tool when the hook cannot be run; clients that do not know it ignore it. */
    readonly onFailure?: 'block';
  }[];
}

type HookGroups = Readonly<Record<string, readonly HookGroup[]>>;

interface Entry {
  readonly event: string;
  /** Tool names; null for all tools, and for events that are not about tools. */
  readonly matcher: string | null;
  readonly isGuard?: true;
}

/** Read is listed for read-before-edit; after a tool, every tool is, as any may have grown the context. */
const ENTRIES: readonly Entry[] = [
  { event: 'SessionStart', matcher: null },
  { event: 'UserPromptSubmit', matcher: null },
  { event: 'PreToolUse', matcher: 'Bash', isGuard: true },
  { event: 'PreToolUse', matcher: 'Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead|Grep' },
  { event: 'PostToolUse', matcher: null },
  { event: 'PostToolUseFailure', matcher: null },
  { event: 'Stop', matcher: null },
  { event: 'SessionEnd', matcher: null },
];

const TIMEOUT_SECONDS = 10;

/**
 * The entries that call a command at every event we decide about.
 * @param guard `strict`: a shell command does not run while the guard cannot be asked
 */
export function hookGroups(command: string, guard: 'strict' | 'open'): HookGroups {
  const groups: Record<string, HookGroup[]> = {};
  for (const { event, matcher, isGuard } of ENTRIES) {
    const onFailure = isGuard && guard === 'strict' ? { onFailure: 'block' as const } : {};
    const hook = { type: 'command' as const, command, timeout: TIMEOUT_SECONDS, ...onFailure };
    groups[event] ??= [];
    groups[event].push({ ...(matcher === null ? {} : { matcher }), hooks: [hook] });
  }
  return groups;
}

/** An argument that the hook ignores: it identifies our entries in any install location. */
const MARK = 'ralph-hooks';

/** The shell command of an installed hook. Both paths are absolute: hooks run with the client's unknown PATH. */
export function hookCommand(node: string, script: string): string {
  return `${quoted(node)} ${quoted(script)} ${MARK}`;
}

/** Whether a hook entry is one that `ralph hooks install` wrote. */
function isOurs(hook: unknown): boolean {
  const command = (hook as { readonly command?: unknown } | null)?.command;
  return typeof command === 'string' && command.endsWith(` ${MARK}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A hook entry that the client cannot read. One such entry makes it ignore every hook of the file. */
interface SettingsFault {
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The older string form in today's form; null where its meaning is unclear. */
  readonly repair: { readonly path: JSONPath; readonly value: unknown } | null;
}

/** Everything in a settings file's `hooks` that does not have the form the client reads. The text is valid JSON. */
export function settingsFaults(text: string): readonly SettingsFault[] {
  const tree = parseTree(text);
  const hooks = tree && findNodeAtLocation(tree, ['hooks']);
  if (hooks === undefined) return [];
  if (hooks.type !== 'object') return [misshapen(text, hooks, '`hooks`', 'an object of events')];
  return properties(hooks).flatMap(([event, node]) => eventFaults(text, event, node));
}

/** The text with every entry in the older string form rewritten in today's form. */
export function withoutStringForms(text: string): string {
  return settingsFaults(text).reduce(
    (fixed, { repair }) => (repair === null ? fixed : setAt(fixed, repair.path, repair.value)),
    text,
  );
}

function eventFaults(text: string, event: string, node: Node): readonly SettingsFault[] {
  const path = ['hooks', event];
  if (node.type === 'string') return [stringForm(text, node, path, (hook) => [{ hooks: [hook] }])];
  if (node.type !== 'array') return [misshapen(text, node, `hooks of ${event}`, 'a list')];
  return (node.children ?? []).flatMap((group, i) => groupFaults(text, [...path, i], group));
}

function groupFaults(text: string, path: JSONPath, node: Node): readonly SettingsFault[] {
  if (node.type === 'string') return [stringForm(text, node, path, (hook) => ({ hooks: [hook] }))];
  const hooks = findNodeAtLocation(node, ['hooks']);
  if (hooks?.type !== 'array') return [misshapen(text, node, 'this entry', 'an object with a list `hooks`')];
  return (hooks.children ?? []).flatMap((hook, i) => {
    if (hook.type === 'string') return [stringForm(text, hook, [...path, 'hooks', i], (same) => same)];
    const type = findNodeAtLocation(hook, ['type']);
    return type?.type === 'string' ? [] : [misshapen(text, hook, 'this hook', 'an object with a `type`')];
  });
}

function stringForm(text: string, node: Node, path: JSONPath, wrap: (hook: unknown) => unknown): SettingsFault {
  const command = String(getNodeValue(node));
  const value = wrap({ type: 'command', command });
  return {
    line: lineAt(text, node.offset),
    message: `the hook ${JSON.stringify(command)} is written as a string, so the client ignores every hook in this file`,
    fix: `write ${JSON.stringify(value)} instead; \`ralph hooks install\` does it`,
    repair: { path, value },
  };
}

function misshapen(text: string, node: Node, what: string, wanted: string): SettingsFault {
  return {
    line: lineAt(text, node.offset),
    message: `${what} is not ${wanted}, so the client ignores every hook in this file`,
    fix: 'write {"hooks": [{"type": "command", "command": …}]} in the list of its event, or remove it',
    repair: null,
  };
}

function properties(node: Node): readonly (readonly [string, Node])[] {
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key === undefined || value === undefined ? [] : [[String(key.value), value] as const];
  });
}

/**
 * Edits of a settings file: unaffected text stays byte for byte. (jsonc-parser's own edits reformat the neighbours of
 * what they touch, and break lists written on one line.) The text is a valid JSON object.
 */

/** Sets the value at a path; all parts but the last must exist. */
function setAt(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node !== undefined) return splice(text, node.offset, endOf(node), render(value, indentAt(text, node), text));
  const parent = nodeAt(text, path.slice(0, -1));
  const key = JSON.stringify(path.at(-1));
  return parent === undefined ? text : insert(text, parent, (indent) => `${key}: ${render(value, indent, text)}`);
}

/** Adds a value at the end of the list at a path. */
function appendAt(text: string, path: JSONPath, value: unknown): string {
  const list = nodeAt(text, path);
  return list === undefined ? text : insert(text, list, (indent) => render(value, indent, text));
}

/** Removes what is at a path, with its comma. */
function removeAt(text: string, path: JSONPath): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = node?.parent?.children ?? [];
  if (node?.parent === undefined) return text;
  const at = siblings.indexOf(node);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  if (previous !== undefined) return splice(text, endOf(previous), endOf(node), '');
  if (next !== undefined) return splice(text, node.offset, next.offset, '');
  return splice(text, node.parent.offset + 1, endOf(node.parent) - 1, '');
}

/** Adds an item at the end of an object or a list: on its own line where the existing items have one. */
function insert(text: string, container: Node, item: (indent: string) => string): string {
  const eol = lineEnding(text);
  const last = container.children?.at(-1);
  if (last === undefined) {
    const outer = indentAt(text, container);
    const inner = outer + unitOf(text);
    const inside = `${eol}${inner}${item(inner)}${eol}${outer}`;
    return splice(text, container.offset + 1, endOf(container) - 1, inside);
  }
  const lead = text.slice(text.lastIndexOf('\n', last.offset) + 1, last.offset);
  const ownLine = /^[ \t]*$/.test(lead) && text.slice(container.offset, last.offset).includes('\n');
  const indent = ownLine ? lead : indentAt(text, container);
  return splice(text, endOf(last), endOf(last), ownLine ? `,${eol}${indent}${item(indent)}` : `, ${item(indent)}`);
}

function render(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${lineEnding(text)}${indent}`);
}

/** One step of indentation in this file. */
function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

/** Indentation of the line on which a node begins. */
function indentAt(text: string, { offset }: Node): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const tree = parseTree(text);
  return tree && findNodeAtLocation(tree, path);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, start: number, end: number, inside: string): string {
  return text.slice(0, start) + inside + text.slice(end);
}
