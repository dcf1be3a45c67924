import { createHash } from 'node:crypto';
import { UnavailableError } from '../../../contracts/index.ts';
import type { Env } from '../port.ts';
import { askEngine, type Engine } from './engine.ts';
import type { Skeleton } from './mounts.ts';
import { packTar, type TarEntry } from './tar.ts';

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
    what: `${engine.name} does not take the image that isolated agents start from`,
    where: `${engine.name} import - ${image}`,
    why: imported.complaint,
  });
}

function entriesOf({ folders, temporary, links }: Skeleton): readonly TarEntry[] {
  const wanted = [...FOLDERS, ...folders, ...temporary].filter((path) => !links.has(path));
  const made = [...new Set([...wanted, ...links.keys()].flatMap((path) => [...parentsOf(path), path]))].sort();
  return made.map((at): TarEntry => {
    const target = links.get(at);
    const path = at.slice(1);
    if (target !== undefined) return { kind: 'link', path, target };
    // Only its owner may write to /dev: otherwise the kernel would refuse a create call on a file that exists there.
    return { kind: 'folder', path, mode: temporary.includes(at) ? 0o1777 : 0o755 };
  });
}

function parentsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
}
