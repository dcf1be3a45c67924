import { readBytes } from '../../../platform/files/files.ts';
import { splitNul } from '../path-bytes.ts';
import { line, type Room, runScript, type ScriptResult, tryScript } from '../room.ts';
import { LIST_INDEX, TAKE_INDEX, TAKE_OBJECTS } from '../scripts/guest.ts';
import { look } from './refs.ts';

const LARGEST_INDEX = 1024 * 1024 * 1024;
const GITLINK = '160000';

/**
 * Brings the index of the commit that is being built up to the one in a guest git dir, `before` being the bytes of
 * both when the hooks began. Entries are read and entered one by one and their objects checked: the file itself is never
 * taken. Gives what is wrong with it; null as a rule.
 */
export async function takeIndex(room: Room, dir: string, before: Uint8Array): Promise<string | null> {
  const found = await look(`${dir}/index`);
  if (found?.kind !== 'file' || found.size > LARGEST_INDEX) return 'the hook left no index';
  if (Buffer.from(before).equals((await readBytes(`${dir}/index`).catch(() => null)) ?? new Uint8Array())) return null;
  const now = await tryScript(room, LIST_INDEX, [`${dir}/index`]);
  if (now.exitCode !== 0) return complaint('the hook left an index that git cannot read', now);
  const was = entries(await runScript(room, 'read the index of the commit', LIST_INDEX, [`${room.work}/commit.index`]));
  const wanted = entries(now.stdout);
  const gone = [...was.keys()].filter((path) => !wanted.has(path));
  const changed = [...wanted].filter(([path, { text }]) => was.get(path)?.text !== text);
  if (changed.some(([, { stage }]) => stage !== '0')) return 'the hook left a merge half done in the index';
  if (gone.length + changed.length === 0) return null;

  const ids = changed.filter(([, { mode }]) => mode !== GITLINK).map(([, { id }]) => `${id}\n`);
  const objects = await tryScript(room, TAKE_OBJECTS, [dir], Buffer.from(ids.join('')));
  if (objects.exitCode !== 0) return complaint('files that the hook added cannot be taken over', objects);
  const zero = '0'.repeat(room.objectFormat === 'sha256' ? 64 : 40);
  const lines = [
    ...gone.map((path) => `0 ${zero}\t${path}\0`),
    ...changed.map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`),
  ];
  const taken = await tryScript(room, TAKE_INDEX, [], Buffer.from(lines.join(''), 'latin1'));
  return taken.exitCode === 0 ? null : complaint('what the hook added cannot be committed', taken);
}

interface Entry {
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
  /** All of it, for comparing. */
  readonly text: string;
}

/** Parses "<mode> <object> <stage>\t<path>", NUL-terminated. Paths are bytes here: latin1 keeps them as they are. */
function entries(listed: Buffer): Map<string, Entry> {
  return new Map(
    splitNul(listed).map((record) => {
      const text = record.toString('latin1');
      const tab = text.indexOf('\t');
      const [mode = '', id = '', stage = ''] = text.slice(0, tab).split(' ');
      return [text.slice(tab + 1), { mode, id, stage, text }];
    }),
  );
}

function complaint(what: string, { stderr }: ScriptResult): string {
  return `${what}: ${line(Buffer.from(stderr)).split('\n').at(-1) ?? ''}`;
}
