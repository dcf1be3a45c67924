import { readTextSync, writePrivate } from '../../../platform/index.ts';
import {
  type BacklogDocument,
  type BacklogSource,
  checkDependencies,
  isNative,
  type Loaded,
  parseJson,
  readTasks,
} from '../../../rules/backlog/index.ts';

const FILE = '.ralph/state/backlog-snapshot.json';

/**
 * Stores a native backlog from before the iteration where command hooks find it: they cannot get it otherwise. Only for
 * them; settle judges against the checkpoint.
 */
export async function writeBacklogSnapshot(root: string, document: BacklogDocument): Promise<void> {
  const { format, file, text, reviewsFile } = document;
  const isRead = format === 'tasks-json';
  const head = isRead ? { format, file, reviewsFile, reviewsText: null } : null;
  // The text follows as it is: escaped, it would be made a second time.
  await writePrivate(`${root}/${FILE}`, `${JSON.stringify(head)}\n${isRead ? text : ''}`, { fsync: false });
}

/** The snapshot of a native backlog; null when there is none. Other formats are left to settle. */
export function readBacklogSnapshot(root: string): BacklogDocument | null {
  try {
    const all = readTextSync(`${root}/${FILE}`) ?? 'null\n';
    const end = all.indexOf('\n');
    const head = JSON.parse(all.slice(0, end)) as Omit<BacklogSource, 'text'> | null;
    return head === null ? null : (loadNative({ ...head, text: all.slice(end + 1) })?.document ?? null);
  } catch {
    return null;
  }
}

/** The agent's current version of a snapshot's file; null when it is no longer a native backlog. */
export function readBacklogNow(root: string, { file, reviewsFile }: BacklogDocument): Loaded | null {
  const text = readTextSync(`${root}/${file}`);
  if (text === null) return { document: null, problems: [] };
  const reviewsText = readTextSync(`${root}/${reviewsFile}`);
  return loadNative({ format: 'tasks-json', file, text, reviewsFile, reviewsText });
}

/**
 * The loop's loader, without what a hook cannot afford to load (Markdown) and what settle finds too (equal ids,
 * `reviews.json`).
 */
function loadNative(source: BacklogSource): Loaded | null {
  const { file, text } = source;
  const parsed = parseJson(text, file);
  if ('problem' in parsed) return { document: null, problems: [parsed.problem] };
  if (!isNative(parsed.value)) return null;
  const { backlog, problems } = readTasks(parsed.value as Record<string, unknown>, text, file);
  const byId = new Map(backlog.stories.map((story) => [story.id, story]));
  const all = [...problems, ...checkDependencies(byId, file)];
  const broken = all.some(({ severity }) => severity === 'error');
  return { document: broken ? null : { ...source, format: 'tasks-json', backlog }, problems: all };
}
