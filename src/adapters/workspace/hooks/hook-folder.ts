import { isFolderSync } from '../../../platform/files/files-sync.ts';
import { STATE_FOLDER } from '../paths.ts';

/** Variables that say where a user's state lives. */
type Env = Readonly<Record<string, string | undefined>>;

/**
 * The folder of a session's logs: `.ralph/` of its project; elsewhere ralph's own state folder, as a hook leaves no
 * traces in projects that are none of ralph's. A `.ralph` that is a link counts as none: it may lead anywhere. Nothing is made: most
 * calls write nothing, and where nothing can be written the guard must decide all the same.
 */
export function hookFolder(root: string, home: string, env: Env): string {
  const own = `${root}/${STATE_FOLDER}`;
  if (isFolderSync(own)) return own;
  const state = env['XDG_STATE_HOME']?.startsWith('/') ? env['XDG_STATE_HOME'] : `${home}/.local/state`;
  return `${state}/ralph/sessions`;
}
