import { type FileStat, list, readText, stat } from '../../../platform/files/files.ts';

/** Files in `refs/` that are looked at: what people and agents make by hand is far below, and git packs the rest. */
const MOST_FILES = 20_000;
const DEEPEST = 16;
/** A loose ref is one line. */
const LONGEST_REF = 1024;
const LARGEST_LIST = 64 * 1024 * 1024;

/** HEAD and refs of a guest git dir, as its files say; nothing in it has been believed yet. */
export interface GuestRefs {
  /** Full name of the branch, null when HEAD is detached or says nothing that git could have written. */
  readonly branch: string | null;
  /** Of a detached HEAD. */
  readonly id: string | null;
  /** Full name → object, well-formed both. */
  readonly refs: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/**
 * Reads HEAD and refs without git: it would obey settings. Links are not followed, FIFOs not opened, names that git
 * would not accept passed over, and files longer than what git writes too.
 * @param idLength hexadecimal digits of an object id
 */
export async function readGuestRefs(dir: string, idLength: number): Promise<GuestRefs> {
  const head = await readPlain(`${dir}/HEAD`, LONGEST_REF);
  const isId = (text: string) => text.length === idLength && /^[0-9a-f]+$/.test(text);
  const loose = await readLoose(dir, isId);
  const packed = parsePacked((await readPlain(`${dir}/packed-refs`, LARGEST_LIST)) ?? '', isId);
  const text = head?.trimEnd() ?? '';
  const branch = text.startsWith('ref: ') ? text.slice(5).trim() : null;
  const known = branch === null ? isId(text) : isRefName(branch);
  return {
    branch: known ? branch : null,
    id: known && branch === null ? text : null,
    refs: new Map([...packed, ...loose.refs]),
    problems: [
      ...(known ? [] : ["HEAD of the agent's copy of the git dir is missing or no HEAD of git's"]),
      ...(loose.full ? [`only the first ${MOST_FILES} refs of the agent's copy of the git dir were looked at`] : []),
    ],
  };
}

/** What an agent took away the right to look at counts as missing. */
export function look(path: string): Promise<FileStat | null> {
  return stat(path).catch(() => null);
}

async function readPlain(path: string, most: number): Promise<string | null> {
  const found = await look(path);
  return found?.kind === 'file' && found.size <= most ? readText(path).catch(() => null) : null;
}

async function readLoose(
  dir: string,
  isId: (text: string) => boolean,
): Promise<{ readonly refs: ReadonlyMap<string, string>; readonly full: boolean }> {
  const refs = new Map<string, string>();
  let left = MOST_FILES;
  const visit = async (name: string, depth: number): Promise<void> => {
    if ((await look(`${dir}/${name}`))?.kind !== 'dir') return;
    const names = await list(`${dir}/${name}`).catch(() => []);
    for (const entry of names) {
      if (left <= 0) return;
      left -= 1;
      const path = `${name}/${entry}`;
      if (depth < DEEPEST) await visit(path, depth + 1);
      const text = isRefName(path) ? await readPlain(`${dir}/${path}`, LONGEST_REF) : null;
      if (text !== null && isId(text.trimEnd())) refs.set(path, text.trimEnd());
    }
  };
  await visit('refs', 1);
  return { refs, full: left <= 0 };
}

/** "<object> <name>" a line; "#" begins the header, "^" what a tag points to. */
function parsePacked(text: string, isId: (text: string) => boolean): Map<string, string> {
  const refs = new Map<string, string>();
  for (const entry of text.split('\n')) {
    const [id = '', name = ''] = entry.split(' ');
    if (isId(id) && isRefName(name)) refs.set(name, id);
  }
  return refs;
}

/** The rules of `git check-ref-format`, and short enough for a file name with what is put before and after it. */
function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > 1000) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git refuses
  if (/[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\.$/.test(name)) return false;
  return name
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= 200);
}
