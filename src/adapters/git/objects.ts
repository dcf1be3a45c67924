import { createHash } from 'node:crypto';
import { type Answering, newEnd, seeFile, startAnswering, textPieces } from '../../platform/index.ts';
import { parseRaw, type RawChange } from './lists.ts';
import { freeStuck, OFFLINE, type Room, runGit } from './room.ts';

/**
 * Git processes that stay and answer questions about objects, by git dir and question. Objects never change, and these
 * processes hold no lock.
 */
const readers = new Map<string, Promise<Answering>>();
/** For the work trees that take turns in one process. */
const MOST_READERS = 8;

type Question = 'cat-file' | 'diff-tree';

/** Otherwise git reads .gitmodules, which an agent may have written, to decide whether submodules count. */
export const WHOLE_LINKS = '--ignore-submodules=none';

const ARGS: Readonly<Record<Question, readonly string[]>> = {
  'cat-file': ['cat-file', '--batch-command'],
  'diff-tree': ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', WHOLE_LINKS],
};

async function readerOf(room: Room, kind: Question): Promise<Answering> {
  const key = `${kind} ${room.repo.gitDir}`;
  const known = await readers.get(key)?.catch(() => null);
  if (known && !known.hasEnded()) return known;
  const env = kind === 'cat-file' ? { ...room.env, ...OFFLINE } : room.env;
  const starting = startAnswering('git', ARGS[kind], { cwd: '/', env });
  readers.set(key, starting);
  const [oldest] = readers;
  if (readers.size > MOST_READERS && oldest !== undefined) {
    readers.delete(oldest[0]);
    void oldest[1].then((reader) => reader.release());
  }
  return starting;
}

async function ask(room: Room, kind: Question, ...question: Parameters<Answering['ask']>) {
  const reader = await readerOf(room, kind);
  return freeStuck(room.repo, reader.ask(...question));
}

/** The name git gives to these bytes. */
export function blobId(bytes: Uint8Array | string, format = 'sha1'): string {
  const hash = createHash(format).update(`blob ${Buffer.byteLength(bytes)}\0`);
  for (const piece of typeof bytes === 'string' ? textPieces(bytes) : [bytes]) hash.update(piece);
  return hash.digest('hex');
}

/** Whether git reads this name as it is in a line of text. It drops a carriage return at the end of one. */
export const isLine = (name: string): boolean => !/[\r\n\p{Surrogate}]/u.test(name);

/** What git answers to lines of `cat-file --batch-command`, in pieces of any size. @returns false: it died of them */
export async function readObjects(
  room: Room,
  lines: readonly string[],
  onOutput: (chunk: Buffer) => void,
): Promise<boolean> {
  const end = newEnd();
  const request = [...lines, `info ${end}`, ''].join('\n');
  return (await ask(room, 'cat-file', request, `${end} missing\n`, onOutput)) !== null;
}

/** The whole of that. */
export async function answerTo(room: Room, lines: readonly string[]): Promise<Buffer> {
  const said: Buffer[] = [];
  return Buffer.concat((await readObjects(room, lines, (chunk) => void said.push(chunk))) ? said : []);
}

/** Raw difference between two trees or commits. */
export async function diffTrees(room: Room, from: string, to: string): Promise<RawChange[]> {
  const known = await differenceOf(room, from, to);
  if (known !== null) return parseRaw(known);
  // What the process that stays cannot tell: names that are none, objects that a partial clone has to fetch.
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', WHOLE_LINKS, from, to];
  return parseRaw(await runGit(room, 'compare two trees', args));
}

async function differenceOf(room: Room, from: string, to: string): Promise<Buffer | null> {
  const named = (await answerTo(room, [`info ${from}^{tree}`, `info ${to}^{tree}`])).toString('latin1');
  const trees = [...named.matchAll(/^([0-9a-f]+) tree /gm)].map(([, id]) => id);
  if (trees.length !== 2) return null;
  // A line that names no objects is printed as it is.
  const end = `${newEnd()}\n`;
  const output: Buffer[] = [];
  const question = `${trees.join(' ')}\n${end}`;
  if ((await ask(room, 'diff-tree', question, end, (chunk) => void output.push(chunk))) === null) return null;
  const all = Buffer.concat(output);
  return all.subarray(all.indexOf('\n') + 1);
}

/** The ids of files in a tree or commit; without those that it does not have, or whose names git cannot be asked for. */
export async function blobsIn(
  room: Room,
  treeish: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = paths.filter(isLine);
  const questions = asked.map((path) => `info ${treeish}:${path}`);
  const answers = (await answerTo(room, questions)).toString('latin1').split('\n');
  const ids = answers.map((line) => /^([0-9a-f]{40,64}) blob \d+$/.exec(line)?.[1]);
  return new Map(asked.flatMap((path, at) => (ids[at] === undefined ? [] : [[path, ids[at]]])));
}

/** Whether this text is the blob that has this id. */
export function isBlob(id: string | undefined, bytes: string): boolean {
  return id !== undefined && blobId(bytes, formatOf(id)) === id;
}

/** The same for a plain file of this size. */
export async function isBlobAt(id: string, path: string, size: number): Promise<boolean> {
  const hash = createHash(formatOf(id)).update(`blob ${size}\0`);
  return (await seeFile(path, size, (piece) => hash.update(piece))) && hash.digest('hex') === id;
}

function formatOf(id: string): string {
  return id.length === 64 ? 'sha256' : 'sha1';
}
