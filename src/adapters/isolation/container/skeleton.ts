import { createHash } from 'node:crypto';
import { UnavailableError } from '../../../contracts/index.ts';
import type { Env } from '../port.ts';
import { askEngine, type Engine } from './engine.ts';
import type { Skeleton } from './run-arguments.ts';

/** Always present, so that an engine accepts the smallest skeleton as a root file system. */
const FOLDERS = ['/dev', '/etc', '/proc', '/run', '/sys', '/tmp', '/var'];

const IMPORT_TIMEOUT_MS = 120_000;

/**
 * The image for a container that uses the programs of this machine: only empty folders and links; everything else is
 * mounted. Imported when the engine does not have it yet.
 *
 * @returns its name, derived from its content
 * @throws UnavailableError when the engine rejects it
 */
export async function provideSkeleton(engine: Engine, skeleton: Skeleton, env: Env): Promise<string> {
  const tar = packTar(entriesOf(skeleton));
  const image = `localhost/ralph-skeleton:${createHash('sha256').update(tar).digest('hex').slice(0, 16)}`;
  const known = await askEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image], { env });
  if (known.exitCode === 0) return image;
  const imported = await askEngine(engine, ['import', '-', image], { env, input: tar, timeoutMs: IMPORT_TIMEOUT_MS });
  if (imported.exitCode === 0) return image;
  throw new UnavailableError({
    what: `${engine.name} cannot load the image that isolated agents start from`,
    where: `${engine.name} import - ${image}`,
    why: imported.complaint,
  });
}

function entriesOf({ folders, temporary, links }: Skeleton): readonly TarEntry[] {
  const wanted = [...FOLDERS, ...folders, ...temporary].filter((path) => !links.has(path));
  const made = [...new Set([...wanted, ...links.keys()].flatMap((path) => [...parentsOf(path), path]))].sort();
  // Only its owner may write to /dev: otherwise the kernel would refuse a create call on a file that exists there.
  return made.map((at) => ({
    path: at.slice(1),
    target: links.get(at) ?? null,
    mode: links.has(at) ? 0o777 : temporary.includes(at) ? 0o1777 : 0o755,
  }));
}

function parentsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
}

interface TarEntry {
  readonly path: string;
  /** Of a symbolic link; null for a folder. */
  readonly target: string | null;
  readonly mode: number;
}

const BLOCK = 512;
/** The header has fixed columns; a name has this many bytes, with the terminating zero. */
const NAME_BYTES = 100;

/**
 * Packs folders and links (ustar). Equal entries give equal bytes: no times, no owners. A name too long for the header
 * precedes its entry in a separate one, as GNU tar writes it and every reader understands.
 */
function packTar(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap(({ path, target, mode }) => {
    const name = target === null ? `${path}/` : path;
    return [
      ...longName('L', name),
      ...longName('K', target ?? ''),
      header(name, target ?? '', target === null ? '5' : '2', 0, mode),
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** None for a name that the header has room for. */
function longName(type: 'L' | 'K', name: string): readonly Buffer[] {
  if (Buffer.byteLength(name) < NAME_BYTES) return [];
  const bytes = Buffer.from(`${name}\0`);
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
  return [header('././@LongLink', '', type, bytes.length, 0o644), bytes, padding];
}

function header(name: string, target: string, type: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, NAME_BYTES - 1);
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.fill(' ', 148, 156); // the checksum is computed with blanks in its place
  block.write(type, 156);
  block.write(target, 157, NAME_BYTES - 1);
  block.write('ustar\0', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
