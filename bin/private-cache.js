import { lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';

/**
 * A folder for compiled code into which nobody else can put any, null where there is none. Node's own default lies below
 * the shared temp folder under a name that is known beforehand. Never throws: without a cache a start is slower.
 *
 * @param {{ readonly [name: string]: string | undefined }} env
 * @returns {string | null}
 */
export function privateCache({ XDG_CACHE_HOME }) {
  try {
    const caches = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : `${homedir()}/.cache`;
    // Without a home the path would begin at the root.
    if (!caches.startsWith('/') || caches === '/.cache') return null;
    const folder = `${caches}/ralph/compiled`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { mode, uid } = lstatSync(folder);
    const isFolder = (mode & 0o170_000) === 0o040_000;
    const isOurs = isFolder && uid === process.getuid?.() && (mode & 0o022) === 0;
    return isOurs ? folder : null;
  } catch {
    return null;
  }
}
