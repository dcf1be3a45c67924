import { UsageError } from '../../../contracts/index.ts';
import { closeToOthers, exists, list, makeDir, readText, remove, stat, writeAtomic } from '../../../platform/index.ts';
import { MARKER_FILE, STATE_FOLDER } from '../paths.ts';

/** Larger than small files that may still fit on a full disk. */
const TRIAL_BYTES = 64 * 1024;

/** An allow-list: any state of later versions is ignored too; files that belong to the project stay visible. */
const ALLOW_LIST = ['*', '!.gitignore', '!config.json', '!PRD-*/', '!PRD-*/**'];

/**
 * Hides the loop's state from git: `.ralph/.gitignore` for the state folder, `info/exclude` for the marker. Writes only
 * what is missing. Returns warnings for people.
 */
export async function ensureStateFolder(repo: {
  readonly root: string;
  readonly commonDir: string;
}): Promise<readonly string[]> {
  await ensureStateIgnored(repo.root);
  await ensureMarkerExcluded(repo.commonDir);
  return hiddenSpecWarnings(repo.root);
}

/**
 * Tests whether the state folder and files in the work tree can be created. Leaves nothing there: a file written before
 * the branch is checked out could be in its way. Throws the file system's error.
 */
export async function tryStateFolder(root: string): Promise<void> {
  const folder = `${root}/${STATE_FOLDER}`;
  const isNew = !(await exists(folder));
  await makeDir(folder);
  try {
    for (const place of [root, folder]) {
      const trial = `${place}/.trial.ralph-tmp`;
      await writeAtomic(trial, 'x'.repeat(TRIAL_BYTES));
      await remove(trial);
    }
  } finally {
    if (isNew) await remove(folder);
  }
}

/**
 * A link in place of the state folder, committed or planted, would make ralph write to the link's target.
 * @throws UsageError for a `.ralph` that is not a folder
 */
export async function refuseOddStateFolder(root: string): Promise<void> {
  const found = await stat(`${root}/${STATE_FOLDER}`);
  if (found === null || found.kind === 'dir') return;
  throw new UsageError({
    what: `${STATE_FOLDER} is ${found.kind === 'symlink' ? 'a link' : 'not a folder'}`,
    where: `${root}/${STATE_FOLDER}`,
    why: 'ralph keeps its state there, and would write outside',
    fix: [`remove it: rm ${STATE_FOLDER}`, `if git tracks it: git rm --cached ${STATE_FOLDER}`],
  });
}

/** Removes other users' access to what earlier runs and hooks left there; the project's own files stay unchanged. */
export async function closeStateFolder(root: string): Promise<void> {
  const folder = `${root}/${STATE_FOLDER}`;
  const own = (await list(folder)).filter((name) => /^(?:runs|state|status\.json|.*\.log)$/.test(name));
  for (const name of own) await closeToOthers(`${folder}/${name}`);
}

/** Writes `.ralph/.gitignore` unless it has the allow-list; the user's own lines stay above it. */
export async function ensureStateIgnored(root: string): Promise<boolean> {
  await refuseOddStateFolder(root);
  const path = `${root}/${STATE_FOLDER}/.gitignore`;
  const text = (await readText(path)) ?? '';
  const lines = new Set(linesOf(text));
  if (ALLOW_LIST.every((line) => lines.has(line))) return false;
  await writeAtomic(path, `${closed(text)}${ALLOW_LIST.join('\n')}\n`);
  return true;
}

/** The marker, and temporary files of writes: a snapshot at the wrong moment would take them for work. */
export const EXCLUDED: readonly string[] = [`/${MARKER_FILE}`, '.*.ralph-tmp'];

/**
 * Hides them from git through `info/exclude`: before the first snapshot, and without a trace in the work tree.
 * @param planted files that this run's isolation creates in the work tree, as lines of `info/exclude`
 */
export async function ensureMarkerExcluded(commonDir: string, planted: readonly string[] = []): Promise<void> {
  const path = `${commonDir}/info/exclude`;
  const text = (await readText(path)) ?? '';
  const lines = linesOf(text);
  const missing = [...EXCLUDED, ...planted].filter((line) => !lines.includes(line));
  if (missing.length > 0) await writeAtomic(path, `${closed(text)}${missing.join('\n')}\n`);
}

/** Git cannot re-include files in an ignored folder, so such a rule would keep PRD-N out of every commit. */
async function hiddenSpecWarnings(root: string): Promise<readonly string[]> {
  const specs = (await list(`${root}/${STATE_FOLDER}`)).filter((name) => /^PRD-[1-9]\d*$/.test(name));
  if (specs.length === 0) return [];
  const lines = linesOf((await readText(`${root}/.gitignore`)) ?? '');
  const line = lines.findIndex((rule) => /^(\*\*\/|\/)?\.ralph\/?$/.test(rule));
  if (line < 0) return [];
  return [
    `.gitignore:${line + 1} ignores all of .ralph/, so ${specs.join(', ')} cannot be committed: remove that line (.ralph/.gitignore already hides the state)`,
  ];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}

function closed(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
