import { parse } from 'jsonc-parser';
import { appendAt, removeAt, setAt } from './edits.ts';
import { type HookGroups, isOurs } from './entries.ts';

/** What a settings file that we start with looks like. */
export const EMPTY_SETTINGS = '{}\n';

/** The text of a settings file with these entries and no others of ours. Valid JSON in, without faults. */
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

/** The text without our entries, and without what is empty then. */
export function withoutHooks(text: string): string {
  let edited = text;
  for (const [event, groups] of Object.entries(hooksIn(text))) {
    // From the end, so that the places of those before stay.
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

/** Whether exactly these entries of ours are there, beside whatever else. */
export function hasHooks(text: string, wanted: HookGroups): boolean {
  const ours = ourGroups(text);
  const events = new Set([...ours.keys(), ...Object.keys(wanted)]);
  return [...events].every((event) => JSON.stringify(ours.get(event)) === JSON.stringify(wanted[event]));
}

/** Whether any entry of ours is there. */
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

/** The entries of a file by event; what has not the form of an entry has no hooks. */
function hooksIn(text: string): Readonly<Record<string, readonly Group[]>> {
  const { hooks } = parse(text) as { readonly hooks?: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(hooks ?? {}).map(([event, groups]) => [event, Array.isArray(groups) ? groups.map(groupOf) : []]),
  );
}

function groupOf(group: { readonly hooks?: unknown } | null): Group {
  return Array.isArray(group?.hooks) ? (group as Group) : { hooks: [] };
}
