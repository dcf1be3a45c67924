import { findNodeAtLocation, getNodeValue, type JSONPath, type Node, parseTree } from 'jsonc-parser';
import { lineAt } from '../../backlog/lines.ts';
import { setAt } from './edits.ts';

/** A hook entry that the client cannot read. One such entry, and it passes over every hook of the file. */
export interface SettingsFault {
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  readonly mend: string;
  /** The older string form, said properly; null where it cannot be told what was meant. */
  readonly repair: { readonly path: JSONPath; readonly value: unknown } | null;
}

/** Everything in the `hooks` of a settings file that has not the form which the client reads. The text is valid JSON. */
export function settingsFaults(text: string): readonly SettingsFault[] {
  const tree = parseTree(text);
  const hooks = tree && findNodeAtLocation(tree, ['hooks']);
  if (hooks === undefined) return [];
  if (hooks.type !== 'object') return [misshapen(text, hooks, '`hooks`', 'an object of events')];
  return properties(hooks).flatMap(([event, node]) => eventFaults(text, event, node));
}

/** The text with every entry of the older string form in today's form. */
export function withoutStringForms(text: string): string {
  return settingsFaults(text).reduce(
    (mended, { repair }) => (repair === null ? mended : setAt(mended, repair.path, repair.value)),
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
    message: `the hook ${JSON.stringify(command)} is written as a string, so that the client ignores every hook of this file`,
    mend: `write ${JSON.stringify(value)} instead; \`ralph hooks install\` does it`,
    repair: { path, value },
  };
}

function misshapen(text: string, node: Node, what: string, wanted: string): SettingsFault {
  return {
    line: lineAt(text, node.offset),
    message: `${what} is not ${wanted}, so that the client ignores every hook of this file`,
    mend: 'write {"hooks": [{"type": "command", "command": …}]} in the list of its event, or remove it',
    repair: null,
  };
}

function properties(node: Node): readonly (readonly [string, Node])[] {
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key === undefined || value === undefined ? [] : [[String(key.value), value] as const];
  });
}
