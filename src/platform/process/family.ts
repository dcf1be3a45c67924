import type { Lineage } from './lineage.ts';
import type { ProcessEntry } from './process-table.ts';

/** Which processes belong together: whoever `root` led or begot, and whoever carries `marker` or `lineage`. */
export interface Family {
  /** A live process (a pid whose process has ended may belong to a stranger). */
  readonly root?: number;
  /** Markers below it (`<marker>/…`) belong to it, too. */
  readonly marker?: string;
  readonly lineage?: Lineage | null;
}

/**
 * The members of a family in a process table: the root, its session, those with the marker or the lineage, and all
 * descendants of these. `self` is never one of them, nor is what descends from it otherwise. Pure.
 */
export function membersOf(family: Family, table: readonly ProcessEntry[], self: number): readonly ProcessEntry[] {
  const children = groupByParent(table);
  const members = new Map<number, ProcessEntry>();
  const pending = table.filter((p) => isFounder(family, p));
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.pid === self || members.has(next.pid)) continue;
    members.set(next.pid, next);
    pending.push(...(children.get(next.pid) ?? []));
  }
  return [...members.values()];
}

function isFounder({ root, marker, lineage = null }: Family, p: ProcessEntry): boolean {
  if (root !== undefined && (p.pid === root || p.session === root)) return true;
  if (lineage !== null && p.lineage === lineage) return true;
  if (marker === undefined || p.marker === null) return false;
  return p.marker === marker || p.marker.startsWith(`${marker}/`);
}

function groupByParent(table: readonly ProcessEntry[]): Map<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const p of table) {
    const siblings = children.get(p.parent);
    if (siblings) siblings.push(p);
    else children.set(p.parent, [p]);
  }
  return children;
}
