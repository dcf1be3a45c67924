import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { exists } from '../../platform/files/files.ts';

/** Node's arguments that start this very ralph: `bin/ralph.js` of the installation, or the source when run from it. */
export async function ownEntry(): Promise<readonly string[]> {
  if (import.meta.url.endsWith('.ts')) {
    // A file URL: node resolves a bare --import from the working folder, which is another project.
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    return ['--import', tsx, fileURLToPath(new URL('../../main.ts', import.meta.url))];
  }
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'bin', 'ralph.js');
    if (await exists(path)) return [path];
    if (folder === dirname(folder)) throw new Error('bin/ralph.js is missing from this installation of ralph');
  }
}
