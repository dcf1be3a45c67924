import { jsonObject } from '../../../contracts/index.ts';
import { readText, writePrivate } from '../../../platform/index.ts';

const FILE = '.ralph/state/context-windows.json';

/** Context windows in tokens by model, as agents reported them in this workspace; empty when none is known. */
export async function readContextWindows(root: string): Promise<Readonly<Record<string, number>>> {
  return parse(await readText(`${root}/${FILE}`));
}

/** Stores windows; writes only new ones. */
export async function keepContextWindows(root: string, windows: Readonly<Record<string, number>>): Promise<void> {
  const known = await readContextWindows(root);
  const changed = Object.entries(windows).some(([model, window]) => known[model] !== window);
  if (changed) await writePrivate(`${root}/${FILE}`, `${JSON.stringify(windows)}\n`, { fsync: false });
}

/** Rebuildable state: unreadable content counts as absent. */
function parse(text: string | null): Readonly<Record<string, number>> {
  const entries = Object.entries(jsonObject(text ?? '') ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
