import { openInside } from '../../../platform/files/files-inside.ts';
import { runFolder } from '../paths.ts';
import { parseObject } from './event-line.ts';

/** The header is the first line, and short. */
const HEADER_BYTES = 4096;

/** Why the event log of a run is none: completes "the log …"; null when it is one, `missing` when there is no file. */
export async function logProblem(root: string, run: string): Promise<string | null> {
  const { file, ...opened } = await openInside(root, `${runFolder(run)}/events.jsonl`);
  if (file === null) return 'why' in opened ? (opened.why ?? 'missing') : 'missing';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead === 0) return 'is empty';
    const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return parseObject(header)?.['type'] === 'log' ? null : 'does not begin as a log of ralph does';
  } finally {
    await file.close();
  }
}
