/** A key as the monitor knows it: a name for those that have no character. */
export type KeyName =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'tab'
  | 'shift-tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'ctrl-c'
  | 'ctrl-u'
  | 'ctrl-w';

export interface Key {
  readonly name: KeyName | null;
  /** What was typed; '' for named keys. */
  readonly text: string;
}

/** As Ink tells of a key; what it does not say is false. */
interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly tab: boolean;
  readonly shift: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

const NAMED: readonly (readonly [flag: keyof InkKey, name: KeyName])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['backspace', 'backspace'],
  // Many terminals send for the backspace key what others send for delete.
  ['delete', 'backspace'],
];

const WITH_CONTROL: Readonly<Record<string, KeyName>> = { c: 'ctrl-c', u: 'ctrl-u', w: 'ctrl-w' };

/**
 * The keys of one piece of input. What was typed fast, or pasted, comes as one piece: it is taken apart, and what
 * stands behind a line break is dropped, as the rest of a pasted text must not act as keys. Pure.
 */
export function keysOf(input: string, key: InkKey): readonly Key[] {
  const named = NAMED.find(([flag]) => key[flag])?.[1];
  if (named !== undefined) return [{ name: named, text: '' }];
  if (key.tab) return [{ name: key.shift ? 'shift-tab' : 'tab', text: '' }];
  if (key.ctrl) {
    const control = WITH_CONTROL[input];
    return control === undefined ? [] : [{ name: control, text: '' }];
  }
  if (key.escape && input === '') return [{ name: 'escape', text: '' }];
  if (key.meta) return [];
  return typed(input);
}

function typed(input: string): readonly Key[] {
  const end = input.search(/[\r\n]/);
  const line = end < 0 ? input : input.slice(0, end);
  const keys: Key[] = Array.from(line, (text): Key => {
    if (text === '\u007f' || text === '\b') return { name: 'backspace', text: '' };
    return text === '\t' ? { name: 'tab', text: '' } : { name: null, text };
  });
  return end < 0 ? keys : [...keys, { name: 'enter', text: '' }];
}
