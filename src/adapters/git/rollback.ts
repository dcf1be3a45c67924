import { exists } from '../../platform/files/files.ts';
import { diffTrees, readAfter } from './checkpoint.ts';
import { sections, withoutDot } from './lists.ts';
import { type OddMode, pairModes, usualModes } from './odd-modes.ts';
import { joinNul, pathFromBytes, splitNul } from './path-bytes.ts';
import type { Checkpoint } from './port.ts';
import { keepTree, rescuedTrees } from './rescue.ts';
import { line, type Room, runScript } from './room.ts';
import {
  MAKE_DIRS,
  MOVE_AWAY,
  PUT_BACK,
  REMOVE_DIRS,
  RESTORE_RULES,
  SET_MODE,
  VERIFY,
  WRITE_AFRESH,
} from './scripts/rollback.ts';
import { readNested, runSnapshot, writeNested } from './shadow.ts';

/** Where a rollback keeps what its caller had not rescued. */
const UNRESCUED = { run: 'before-rollback', iteration: 0 };
const FILE = 0o100000;
const TYPE = 0o170000;
const PERMISSIONS = 0o7777;

/** See `Git.rollback`. Whatever it is about to remove and no rescue holds is kept under refs/ralph/rescue/before-rollback. */
export async function rollback(room: Room, checkpoint: Checkpoint): Promise<void> {
  const visible = (await readAfter(room, checkpoint)).tree;
  await moveNested(room);
  const all = line(await runSnapshot(room, 'put the ignore rules back', 'agent', RESTORE_RULES, [checkpoint.tree]));
  await keepUnrescued(room, checkpoint, visible, all);
  // The old rules can show repositories that the new ones hid.
  await moveNested(room);

  const branch = checkpoint.branch ?? '';
  const output = await runScript(room, 'roll back', PUT_BACK, [
    checkpoint.tree,
    branch,
    checkpoint.head,
    checkpoint.index ?? '',
    ...usualModes(),
    checkpoint.sealed ? 'sealed' : '',
  ]);
  const [empty = [], odd = [], modes = []] = sections(splitNul(output));
  const emptyNow = empty.map((record) => withoutDot(pathFromBytes(record)));
  await restoreEmptyDirs(room, checkpoint, emptyNow);
  const gone = new Set(emptyNow.filter((dir) => !checkpoint.emptyDirs.includes(dir)));
  await restoreModes(
    room,
    checkpoint,
    pairModes(odd, modes[0]).filter(({ path }) => !gone.has(path)),
  );
  await runSnapshot(room, 'roll back exactly', 'agent', VERIFY, [checkpoint.tree]);
}

/** `visible`: the tree under the agent's ignore rules; `all`: under the checkpoint's, which can show more. */
async function keepUnrescued(room: Room, checkpoint: Checkpoint, visible: string, all: string): Promise<void> {
  const rescued = await rescuedTrees(room);
  const lost = (tree: string) => tree !== checkpoint.tree && !rescued.has(tree);
  const keep = (tree: string) =>
    keepTree(room, {
      ...UNRESCUED,
      tree,
      parents: [checkpoint.head],
      subject: 'State before a rollback',
      date: room.clock.now(),
    });
  if (lost(visible)) await keep(visible);
  if (all === visible || !lost(all)) return;
  const uncommon = new Set(
    (await diffTrees(room, checkpoint.tree, all)).filter(({ status }) => status !== 'deleted').map(({ path }) => path),
  );
  const hidden = (await diffTrees(room, visible, all)).some(
    ({ path, status }) => status !== 'deleted' && uncommon.has(path),
  );
  if (hidden) await keep(all);
}

/** Repositories that appeared since the checkpoint are no part of any tree: they are moved out of the way, whole. */
async function moveNested(room: Room): Promise<void> {
  const { known, born } = await readNested(room);
  if (born.length === 0) return;
  let folder = 1;
  const target = () => `${room.repo.commonDir}/ralph/rescued/${folder}`;
  while (await exists(target())) folder += 1;
  await runScript(room, 'move nested repositories away', MOVE_AWAY, [target()], joinNul(born));
  await writeNested(room, { known, born: [] });
}

async function restoreEmptyDirs(room: Room, checkpoint: Checkpoint, now: readonly string[]): Promise<void> {
  const extra = now
    .flatMap(withParents)
    .filter((dir) => !checkpoint.emptyDirs.some((kept) => kept === dir || kept.startsWith(`${dir}/`)));
  // A parent sorts before what it holds, so in reverse order each directory is empty when its turn comes.
  const deepestFirst = [...new Set(extra)].sort().reverse();
  if (deepestFirst.length > 0)
    await runScript(room, 'remove empty directories', REMOVE_DIRS, [], joinNul(deepestFirst));
  const missing = checkpoint.emptyDirs.filter((dir) => !now.includes(dir)).flatMap(withParents);
  if (missing.length > 0)
    await runScript(room, 'make empty directories', MAKE_DIRS, [], joinNul([...new Set(missing)]));
}

function withParents(dir: string): string[] {
  const parts = dir.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Modes of the checkpoint that are not the usual ones, and usual ones where the agent made them odd. */
async function restoreModes(room: Room, checkpoint: Checkpoint, now: readonly OddMode[]): Promise<void> {
  const wanted = new Map(checkpoint.modes);
  const odd = now.filter(({ path }) => !wanted.has(path));
  const files = odd.filter(({ mode }) => (mode & TYPE) === FILE).map(({ path }) => path);
  if (files.length > 0) await runScript(room, 'write files afresh', WRITE_AFRESH, [checkpoint.tree], joinNul(files));

  const dirs = odd.filter(({ mode }) => (mode & TYPE) !== FILE).map(({ path }) => path);
  // Relative to the umask, as a fresh directory would be: symbolic modes without "who" respect it.
  if (dirs.length > 0) await runScript(room, 'restore modes', SET_MODE, ['=rwx'], joinNul(dirs));

  const current = new Map(now.map(({ path, mode }) => [path, mode & PERMISSIONS]));
  const differs = checkpoint.modes.filter(([path, mode]) => current.get(path) !== mode);
  for (const mode of new Set(differs.map(([, mode]) => mode))) {
    const paths = differs.filter((entry) => entry[1] === mode).map(([path]) => path);
    await runScript(room, 'restore modes', SET_MODE, [mode.toString(8)], joinNul(paths));
  }
}
