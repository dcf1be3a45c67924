import { posix, resolve } from 'node:path';
import {
  findOldBacklogs,
  type OldFile,
  type OldLayout,
  readFolderAlone,
  readOldLayout,
} from '../../adapters/workspace/import/folder.ts';
import { findOldHooks } from '../../adapters/workspace/import/hooks.ts';
import { addSettings } from '../../adapters/workspace/import/settings.ts';
import { type ImportTarget, readProgress } from '../../adapters/workspace/import/target.ts';
import { UsageError } from '../../contracts/errors.ts';
import { exists } from '../../platform/files/files.ts';
import { PARTS } from '../../rules/import/layouts.ts';
import { settingsOf } from '../../rules/import/migrate-settings.ts';
import { importProgress } from '../../rules/import/progress.ts';
import { chooseBacklog } from './choose-backlog.ts';
import { readOldSettings } from './old-settings.ts';
import type { Imported, ImportRequest } from './outcome.ts';
import { reportOf } from './read-backlog.ts';
import { atTarget, type Companions, nativeOf, writeNative } from './write-native.ts';

/** What another loop or a planning tool kept in a folder: stories, prompt, progress, settings. @param path absolute */
export async function importFolder(request: ImportRequest, path: string): Promise<Imported> {
  const backlogs = await findOldBacklogs(path);
  if (backlogs.length === 0) throw noBacklog(request.source, await readFolderAlone(path));
  const { backlog, path: file, name, understood, warnings: others } = await chooseBacklog(request, backlogs);
  const layout = await readOldLayout(backlog);
  const native = nativeOf(understood, name);
  const [{ moves, warnings: unread }, hooks] = await Promise.all([
    readOldSettings(layout.files.settings),
    findOldHooks(layout.base),
  ]);
  const report = { ...reportOf(understood, name), settings: moves, hooks, left: layout.left };
  const warnings = [...others, ...report.warnings, ...unread, ...promptNotes(layout), ...native.warnings];
  if (request.dryRun) return { ...report, warnings, written: [], backups: [] };
  return atTarget(request, async (target, root) => {
    const settings = await addSettings(root, settingsOf(moves));
    const ours = companionsOf(layout);
    const companions: Companions = {
      ...ours,
      beside: async (at) => ({
        ...(await ours.beside(at)),
        ...(settings.text === null ? {} : { [settings.file]: settings.text }),
      }),
    };
    const made = await writeNative(request, target, { path: file, name, understood, companions });
    return { ...report, warnings: [...settings.left, ...warnings], ...made };
  });
}

function companionsOf({ base, files, specs }: OldLayout): Companions {
  return {
    prose: (target) =>
      files.prd
        .filter(({ path }) => !isIn(target, resolve(base, path)))
        .slice(0, 1)
        .map(({ text }) => ({ name: 'prd.imported.md', text })),
    beside: async (target) => {
      // What is in the spec folder already is where it belongs.
      const foreign = ({ path }: OldFile) => !isIn(target, resolve(base, path));
      const progress = files.progress.filter(foreign)[0]?.text ?? null;
      const patterns = files.patterns.filter(foreign).map(({ path, text }) => ({ file: path, text }));
      const log = importProgress(await readProgress(target), progress, patterns);
      const documents = await Promise.all(specs.filter(foreign).map((document) => besideSpec(target, document)));
      return {
        ...(progress === null && patterns.length === 0 ? {} : { [target.progressPath]: log }),
        ...Object.fromEntries(
          promptsOf(files.prompt.filter(foreign)).map(([name, { text }]) => [posix.join(target.specDir, name), text]),
        ),
        ...Object.fromEntries(documents.flat()),
      };
    },
  };
}

async function besideSpec({ root, specDir }: ImportTarget, { path, text }: OldFile): Promise<[string, string][]> {
  const wanted = posix.join(specDir, 'specs', posix.basename(path));
  return (await exists(posix.join(root, wanted))) ? [] : [[wanted, text]];
}

function isIn({ root, specDir }: ImportTarget, path: string): boolean {
  return posix.dirname(path) === posix.join(root, specDir);
}

/** The names under which older prompts are kept: the surest is the prompt, the others keep their own. */
function promptsOf(prompts: readonly OldFile[]): readonly (readonly [string, OldFile])[] {
  const names = new Map<string, OldFile>();
  for (const prompt of prompts) {
    const own = `${posix.basename(prompt.path).replace(/\.[^.]*$/, '')}.imported.md`;
    const name = names.size === 0 ? 'prompt.imported.md' : own;
    // Where capitals make no difference, one would replace the other.
    const isTaken = [...names.keys()].some((each) => each.toLowerCase() === name.toLowerCase());
    names.set(isTaken ? `${names.size + 1}-${name}` : name, prompt);
  }
  return [...names];
}

function promptNotes({ files }: OldLayout): readonly string[] {
  const kept = promptsOf(files.prompt).map(([name, { path }]) => `${path} (as ${name})`);
  if (kept.length === 0) return [];
  return [
    `kept and not used: ${kept.join(', ')}; what the agent must know of it belongs in prompt.md, the rules of the loop are there already`,
  ];
}

function noBacklog(source: string, { files }: OldLayout): UsageError {
  const prompt = files.prompt[0]?.path;
  return new UsageError({
    what: `${source} has no backlog`,
    why: `looked for ${PARTS.backlog.join(', ')}`,
    mend: [
      'name the file: ralph import FILE',
      ...(prompt === undefined
        ? []
        : [`${prompt} alone needs no import: a lone PROMPT.md is worked on without stories`]),
    ],
  });
}
