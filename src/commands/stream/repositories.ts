import { ExitCode, UsageError } from '../../contracts/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import {
  type Folder,
  type MergeInput,
  mergeTogether,
  type PartMerge,
  partsOf,
  streamTarget,
} from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withSignals } from '../shared/with-signals.ts';
import { folderHere, storiesOf } from './folder-here.ts';
import { asJson, codeOf, commonOf, mergeStreams } from './merge.ts';
import { mergeLines } from './merge-lines.ts';
import { finishKilled, landingText } from './start-folder.ts';

/** `ralph stream merge`: of this repository, or of all clones in this folder. */
export async function mergeByFolder(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const folder = await folderHere(flags, io);
  return folder === null ? mergeStreams(names, flags, io) : mergeRepositories(folder, names, flags, io);
}

/** All of them, or none. */
async function mergeRepositories(folder: Folder, names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  refuseParts(folder, names, flags);
  return withSignals(async (signal) => {
    const killed = isOn(flags, 'dryRun') ? null : await finishKilled(folder, io, signal);
    await refuseOpen(folder, flags);
    const inputs = new Map<string, MergeInput>();
    for (const { repository, git, tree } of await partsOf(folder)) {
      // Merged and removed before, or not begun with --unfinished.
      const target = tree && (await streamTarget(git, folder.stream));
      if (target) inputs.set(repository, { ...(await commonOf(git, flags, io, signal)), target });
    }
    if (inputs.size === 0) {
      throw new UsageError({ what: 'there is nothing to merge yet', where: folder.root, fix: ['ralph stream start'] });
    }
    const result = await mergeTogether(folder, inputs);
    const { parts, landing } = result;
    const lines = parts.flatMap((part) => partLines(part, flags));
    const end = landing === null ? [] : ['', landingText(landing)];
    if (isOn(flags, 'json')) printJson(io, { merges: parts.map(jsonOf), landing: landing ?? killed });
    else printLines(io, [...lines, ...end]);
    return parts.map(codeOfPart).find((code) => code !== ExitCode.complete) ?? ExitCode.complete;
  });
}

function partLines(part: PartMerge, flags: RawFlags): readonly string[] {
  const asked = { runChecks: flags['checks'] !== false, command: 'ralph stream merge' };
  const lines =
    'merge' in part
      ? mergeLines({ ...part.merge, worktree: false }, asked)
      : [`not merged: ${part.error.facts.what}`, ...(part.error.facts.fix ?? [])];
  return lines.map((line) => `${oneLine(part.repository)}: ${line}`);
}

const codeOfPart = (part: PartMerge) => codeOf('merge' in part ? part : { name: part.repository, error: part.error });

function jsonOf(part: PartMerge): object {
  const result = 'merge' in part ? part : { name: part.repository, error: part.error };
  return { repository: part.repository, ...asJson(result) };
}

function refuseParts({ repositories, stream }: Folder, names: readonly string[], flags: RawFlags): void {
  const [first = ''] = repositories.keys();
  const alone = `cd ${shellWord(first)} && ralph stream merge ${shellWord(stream)}`;
  if (names.length > 0) {
    throw new UsageError({
      what: 'the repositories of this folder are merged together',
      fix: ['leave out the names', `or merge one without the others: ${alone}`],
    });
  }
  if (!isOn(flags, 'pr')) return;
  throw new UsageError({ what: 'a pull request is for one repository', fix: [`${alone} --pr`] });
}

async function refuseOpen(folder: Folder, flags: RawFlags): Promise<void> {
  const open = (await storiesOf(folder)).filter((story) => !isDone(story));
  if (open.length === 0 || isOn(flags, 'unfinished')) return;
  throw new UsageError({
    what: `${open.length} of ${folder.stories.length} stories are not done: ${open.map(({ id, repo }) => oneLine(`${id} (${repo})`)).join(', ')}`,
    fix: ['finish them: `ralph stream start`', 'or merge what there is: --unfinished'],
  });
}
