import { readText } from '../../../platform/files/files.ts';
import { writePrivate } from '../../../platform/files/private.ts';

const FILE = '.ralph/state/context-windows.json';

/** Context windows in tokens by model, as agents reported them in this workspace; none when nothing is known. */
export async function readContextWindows(root: string): Promise<Readonly<Record<string, number>>> {
  return parse(await readText(`${root}/${FILE}`));
}

/** Remembers windows; writes only what is new. */
export async function keepContextWindows(root: string, windows: Readonly<Record<string, number>>): Promise<void> {
  const known = await readContextWindows(root);
  const changed = Object.entries(windows).some(([model, window]) => known[model] !== window);
  if (changed) await writePrivate(`${root}/${FILE}`, `${JSON.stringify(windows)}\n`, { fsync: false });
}

/** Rebuildable state: what cannot be read is not there. */
function parse(text: string | null): Readonly<Record<string, number>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
    return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  } catch {
    return {};
  }
}
