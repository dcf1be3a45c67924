import { rescueName } from '../../../rules/rescue-name.ts';
import type { RunView } from '../../../rules/view/model.ts';
import type { ReportExtra, ReportRescue } from '../model.ts';

/** What roll-backs took away, and the commands to look at it. Pure. */
export function rescuesOf(views: readonly RunView[], there: ReportExtra['rescues']): readonly ReportRescue[] {
  const names = new Set(there.map(({ name }) => name));
  return views.flatMap(({ iterations }) =>
    iterations.flatMap(({ rescue, iteration, story, reason }) => {
      if (rescue === null) return [];
      const name = rescueName(rescue);
      const kept = names.has(name);
      return { name, iteration, story, reason, kept, show: command('show', name), restore: command('restore', name) };
    }),
  );
}

/** Event logs lie where agents can write: a command that people copy has only names in it that need no quotes. */
function command(verb: string, name: string): string | null {
  return isPlainWord(name) ? `ralph rescue ${verb} ${name}` : null;
}

/** May it stand in a command line as it is? */
export function isPlainWord(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,99}$/.test(text);
}
