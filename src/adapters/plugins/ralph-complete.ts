import { type FileStat, stat } from '../../platform/index.ts';
import { definePlugin, type PluginStart } from '../../plugins/plugin.ts';

/** A person or a script creates this file in the root of the project to end the run after its iteration. */
export const COMPLETE_FILE = '.ralph-complete';

/**
 * The built-in exit condition, written like any plugin. A file that existed before the run was not meant for it, so
 * only one that appeared or changed since counts. It is left in place: its creator removes it.
 */
export const ralphComplete = definePlugin(async ({ root }: PluginStart) => {
  const before = identity(await stat(`${root}/${COMPLETE_FILE}`));
  return {
    name: COMPLETE_FILE,
    async exitWhen() {
      const now = identity(await stat(`${root}/${COMPLETE_FILE}`));
      return now !== null && now !== before ? 'the file was made in the root of the project' : null;
    },
  };
});

function identity(found: FileStat | null): string | null {
  return found && `${found.kind} ${found.size} ${found.mtimeMs}`;
}
