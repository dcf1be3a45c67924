import { relative } from 'node:path';
import { branchFor, type ImportTarget, prepareTarget, writeImport } from '../../adapters/workspace/import/target.ts';
import { systemClock } from '../../platform/clock.ts';
import { realPath } from '../../platform/files/files.ts';
import { type NativeBacklog, type NativeDefaults, toNative } from '../../rules/import/to-native.ts';
import type { Understood } from '../../rules/import/understand.ts';
import { placeOf } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import { type ImportRequest, refuse } from './outcome.ts';

/** More to write than the backlog: what a folder of another loop holds. */
export interface Companions {
  prose(target: ImportTarget): readonly { readonly name: string; readonly text: string }[];
  /** Other files, by path relative to the root. */
  beside(target: ImportTarget): Promise<Readonly<Record<string, string>>>;
}

/** Stands for a project where nothing is written. */
const NOWHERE: NativeDefaults = { schema: null, project: 'project', branchName: 'ralph/project', verifyCommands: [] };

/** The native form, which must be valid. @throws UsageError, FileProblemsError */
export function nativeOf(understood: Understood, file: string, defaults = NOWHERE): NativeBacklog {
  const native = toNative(understood, defaults, file);
  if ('problems' in native) refuse(file, native.problems);
  return native;
}

/** Where an import goes, held against runs while `task` writes there. @throws LockedError, UsageError */
export async function atTarget<T>(
  { flags, io }: ImportRequest,
  task: (target: ImportTarget, root: string) => Promise<T>,
): Promise<T> {
  const git = await openProject(flags, io);
  const { root, stateDir } = git.repo;
  return withRunLock(stateDir, 'ralph import', async () => {
    const target = await prepareTarget({ root, cwd: io.cwd, flags: placeOf(flags), env: io.env });
    return task(target, root);
  });
}

/**
 * Writes the native backlog and what goes with it.
 * @param path of the source, absolute
 * @param name of the source, as messages have it
 */
export async function writeNative(
  request: ImportRequest,
  target: ImportTarget,
  {
    path,
    name,
    understood,
    companions,
  }: { path: string; name: string; understood: Understood; companions: Companions },
): Promise<{ readonly written: readonly string[]; readonly backups: readonly string[] }> {
  const branchName = branchFor(target, understood.document.backlog.project);
  const native = nativeOf(understood, name, { ...target, branchName });
  const around = native.prose === null ? [] : [{ name: proseName(path), text: native.prose }];
  const prose = [...around, ...companions.prose(target)];
  return writeImport(
    target,
    { tasks: native.text, prose, beside: await companions.beside(target) },
    {
      force: request.force,
      repair: request.repair,
      source: relative(target.root, await realPath(path)),
      stamp: stampNow(),
    },
  );
}

/** `plan.md` → `plan.imported.md`; never the name of a file that means something in a spec folder. */
function proseName(path: string): string {
  const file = path.split('/').at(-1) ?? 'plan';
  return `${file.replace(/\.[^.]*$/, '').replace(/[^\w@-]+/g, '-')}.imported.md`;
}

/** Part of the name of a backup: now, to the second. */
export function stampNow(): string {
  return new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}
