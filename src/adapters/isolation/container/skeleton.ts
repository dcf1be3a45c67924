import { createHash } from 'node:crypto';
import { UnavailableError } from '../../../contracts/errors.ts';
import { askEngine, type Engine, type Environment } from './engine.ts';
import type { Skeleton } from './mounts.ts';
import { packTar, type TarEntry } from './tar.ts';

/** Always there, so that the smallest skeleton is a root file system to an engine. */
const FOLDERS = ['/dev', '/etc', '/proc', '/run', '/sys', '/tmp', '/var'];

const IMPORT_TIMEOUT_MS = 120_000;

/**
 * The image for a container that uses the programs of this machine: nothing but empty folders and links; all else is
 * mounted. Imported when the engine does not have it yet.
 *
 * @returns its name, made of what is in it
 * @throws UnavailableError when the engine does not take it
 */
export async function provideSkeleton(engine: Engine, skeleton: Skeleton, env: Environment): Promise<string> {
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
    // Nobody but its owner may write to /dev: the kernel would not let others create a file that is there already.
    return { kind: 'folder', path, mode: temporary.includes(at) ? 0o1777 : 0o755 };
  });
}

/** Folders above it, from the top, without the root. */
function parentsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
}
