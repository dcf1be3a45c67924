import { createHash } from 'node:crypto';
import { delimiter } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import type { RoomPlace } from '../../adapters/workspace/index.ts';
import {
  copy,
  copyBelow,
  exists,
  list,
  makeDir,
  makeNewDir,
  move,
  readBytes,
  readText,
  remove,
  stat,
  writeAtomic,
  writePrivate,
} from '../../platform/index.ts';
import { isSetUpFile, type SetUpStep, setUpKey, setUpOf } from '../../rules/set-up/index.ts';
import type { CleanRoom, SetUpPorts } from '../context.ts';
import { runInside } from '../inside/inside.ts';

/** What is to be checked. */
export interface UnderJudgement {
  /** Excludes the loop's own files. */
  readonly tree: string;
  /** The commit that the tree builds on; null: none. */
  readonly parent: string | null;
}

/** A room that holds the tree, with everything installed. */
export interface Entered {
  readonly kind: 'entered';
  /** For the checks, in addition to what every command of the project gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Install commands of the set-up. */
  readonly commands: readonly string[];
}

/** An install command that failed. */
export interface SetUpFailure {
  readonly kind: 'set-up-failed';
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly output: string;
}

/** What is known of a room between checks. */
interface RoomRecord {
  /** Key of the set-up in the room; null: none, or one that did not finish. */
  readonly setUp: string | null;
  /** Tree whose checks last ran there; null: none. */
  readonly ran: string | null;
  /** The work of that tree is on the branch. */
  readonly accepted: boolean;
  /** What the set-up installed there: .gitignore patterns. */
  readonly installed: readonly string[];
}

const NOTHING: RoomRecord = { setUp: null, ran: null, accepted: false, installed: [] };
/** Bytes kept of an install command's output. */
const OUTPUT_BYTES = 64 * 1024;

/**
 * Brings the room to a tree. What checks left in ignored files stays only if their tree was accepted; else the room
 * holds only the tree and what its set-up installs, so that rejected work cannot affect a later check.
 */
export async function enterRoom(
  ports: SetUpPorts,
  room: CleanRoom,
  { tree, parent }: UnderJudgement,
): Promise<Entered | SetUpFailure> {
  const { folder, index, deps } = room.place;
  const bring = (ignored: 'keep' | 'remove', keep: readonly string[]) =>
    ports.git.checkOut({ folder, index, tree, parent, ignored, keep: keep.map(asPattern) });
  let record = await readRecord(room.place);
  if (record.ran !== null && record.ran !== tree && !record.accepted) record = NOTHING;
  const ignored = record === NOTHING ? 'remove' : 'keep';
  try {
    await bring(ignored, ignored === 'keep' ? [...record.installed, ...room.copies] : []);
  } catch {
    // A check may leave more than git can clean up.
    await Promise.all([folder, index].map(remove));
    record = NOTHING;
    await bring('remove', []);
  }
  const steps = await findSetUp(ports.git, { tree, folder }, ports.config.checks.setup);
  const key = await keyOf(room, steps);
  if (record.setUp !== key) {
    // Until the set-up has finished, the room's content is unusable.
    await writeRecord(room.place, NOTHING);
    if (ignored === 'keep') await bring('remove', []);
    await remove(deps);
    await makeDir(deps);
    for (const path of room.copies) await copyBelow(`${room.place.copies}${path}`, folder, path);
    const failure = await installAll(ports, room, steps, key);
    if (failure !== null) return failure;
    record = { ...NOTHING, setUp: key, installed: (await layerOf(room, key)).installed };
    // An install command may have changed files of the tree.
    await bring('keep', [...record.installed, ...room.copies]);
  }
  const accepted = record.accepted && record.ran === tree;
  await writeRecord(room.place, { ...record, ran: tree, accepted });
  return { kind: 'entered', env: environmentOf(room, steps), commands: steps.map(shownStep) };
}

/** What decides whether a set-up has to be repeated. */
async function keyOf(room: CleanRoom, steps: readonly SetUpStep[]): Promise<string> {
  const paths = [...new Set(steps.flatMap(({ decides }) => decides))];
  const ids = new Map<string, string>();
  for (const path of paths) {
    const bytes = await readBytes(`${room.place.folder}/${path}`).catch(() => null);
    if (bytes !== null) ids.set(path, createHash('sha256').update(bytes).digest('hex'));
  }
  const about = [setUpKey(steps, (path) => ids.get(path) ?? null), room.setUp, room.isolation.name, room.searchPath];
  return createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32);
}

/** Uses what the same set-up installed before, in this room or another, or runs its commands. */
async function installAll(
  ports: SetUpPorts,
  room: CleanRoom,
  steps: readonly SetUpStep[],
  key: string,
): Promise<SetUpFailure | null> {
  if (steps.length === 0) return null;
  const { folder, deps } = room.place;
  const layer = `${room.place.layers}/${key}`;
  if (await exists(layer)) {
    await lay(`${layer}/room`, await layerOf(room, key), folder);
    await copy(`${layer}/deps`, deps);
    return null;
  }
  for (const step of steps) {
    const failure = await install(ports, room, step);
    if (failure !== null) return failure;
  }
  await keepLayer(ports, room, layer);
  return null;
}

async function install(ports: SetUpPorts, room: CleanRoom, step: SetUpStep): Promise<SetUpFailure | null> {
  const { clock, emit } = ports;
  const { folder, packages } = room.place;
  const { command } = step;
  const startedAt = clock.now();
  emit(0, { type: 'notice', level: 'info', text: `Setting up the clean room: ${shownStep(step)}` });
  // This may take long: live views show what is running, and since when.
  emit(0, { type: 'check-start', command: shownStep(step) });
  const { exitCode, timedOut, stdout, stderr } = await runInside(ports, {
    file: 'sh',
    args: ['-c', command],
    cwd: step.folder === '' ? folder : `${folder}/${step.folder}`,
    env: { ...filled(step.env, room), ...filled(step.setUpEnv, room) },
    mounts: room.isolation.coversGitDir ? [{ from: packages, at: packages, writable: true }] : [],
    maxBytes: OUTPUT_BYTES,
    isolation: await room.opened(),
  });
  if (exitCode === 0 && !timedOut) return null;
  const output = Buffer.concat([stdout, stderr]).toString('utf8').trim();
  return { kind: 'set-up-failed', command, exitCode, timedOut, durationMs: clock.now() - startedAt, output };
}

/** All or nothing: another room may create the same layer meanwhile. */
async function keepLayer({ git }: SetUpPorts, { place }: CleanRoom, layer: string): Promise<void> {
  const { folder, deps, layers } = place;
  const made = await makeNewDir(`${layers}/.new-`);
  const installed = (await git.besideTree(place)).map((path) => `/${path.replace(/\/$/, '')}`).filter(isNoGitDir);
  for (const path of installed) await copy(`${folder}${path}`, `${made}/room${path}`);
  await copy(deps, `${made}/deps`);
  await writePrivate(`${made}/layer.json`, JSON.stringify({ folder, installed } satisfies Layer), { fsync: false });
  await move(made, layer).catch(() => remove(made));
  const all = await Promise.all(
    (await list(layers)).map(async (name) => ({ name, at: (await stat(`${layers}/${name}`))?.mtimeMs ?? 0 })),
  );
  const old = all.sort((one, other) => other.at - one.at).slice(MOST_LAYERS);
  await Promise.all(old.map(({ name }) => remove(`${layers}/${name}`)));
}

/** For one repository; older ones are removed when a new one comes. */
const MOST_LAYERS = 8;

const isNoGitDir = (path: string) => path !== '/.git';

/** What a set-up installed in the folder where it ran. */
interface Layer {
  readonly folder: string;
  /** Paths below it, each starting with `/`. */
  readonly installed: readonly string[];
}

async function layerOf({ place }: CleanRoom, key: string): Promise<Layer> {
  try {
    const { folder, installed } = JSON.parse((await readText(`${place.layers}/${key}/layer.json`)) ?? '') as Layer;
    return { folder, installed };
  } catch {
    return { folder: place.folder, installed: [] };
  }
}

/**
 * Gives a work tree what the set-up of its tree installed in its room; existing files stay. For a lane or a fresh work
 * tree where an agent is going to work.
 */
export async function layInto({ place }: CleanRoom, root: string): Promise<void> {
  const { installed } = await readRecord(place);
  const missing: string[] = [];
  for (const path of installed) if (!(await exists(`${root}${path}`))) missing.push(path);
  await lay(place.folder, { folder: place.folder, installed: missing }, root);
}

async function lay(from: string, { folder, installed }: Layer, to: string): Promise<void> {
  for (const path of installed) {
    const isCopied = await copyBelow(`${from}${path}`, to, path);
    if (isCopied && (await exists(`${to}${path}/pyvenv.cfg`))) await relocate(`${to}${path}`, folder, to);
  }
}

/** Largest script among the programs of a virtual environment; a larger file is not a script. */
const SCRIPT_BYTES = 64 * 1024;

/**
 * A Python virtual environment contains the path of the folder where it was made: in its scripts and in the project's
 * location.
 */
async function relocate(venv: string, from: string, to: string): Promise<void> {
  const packages = (await list(`${venv}/lib`)).map((version) => `${venv}/lib/${version}/site-packages`);
  const files = [`${venv}/pyvenv.cfg`, ...(await list(`${venv}/bin`)).map((name) => `${venv}/bin/${name}`)];
  for (const folder of packages) {
    const names = (await list(folder)).filter((name) => /\.(?:pth|egg-link)$|^__editable__.*\.py$/.test(name));
    files.push(...names.map((name) => `${folder}/${name}`));
  }
  for (const path of files) {
    const facts = await stat(path);
    if (facts?.kind !== 'file' || facts.size > SCRIPT_BYTES) continue;
    const bytes = Buffer.from((await readBytes(path)) ?? '');
    const text = bytes.toString('latin1');
    const [old, now] = [from, to].map((folder) => Buffer.from(folder).toString('latin1'));
    if (old === undefined || now === undefined || !text.includes(old)) continue;
    await writeAtomic(path, Buffer.from(text.replaceAll(old, now), 'latin1'), { fsync: false, mode: facts.mode });
  }
}

/** Environment of the checks, with the programs that the set-up installed first in PATH. */
function environmentOf(room: CleanRoom, steps: readonly SetUpStep[]): Readonly<Record<string, string>> {
  const folders = steps.flatMap(({ path }) => path.map((one) => `${room.place.folder}/${one}`));
  const variables = Object.assign({}, ...steps.map(({ env }) => filled(env, room)));
  return { ...variables, PATH: [...folders, room.searchPath].join(delimiter) };
}

/**
 * Without isolation packages lie where the person's tools keep them; and if nothing can be mounted for a single
 * command, a check could write into downloads of later set-ups.
 */
function filled(env: Readonly<Record<string, string>>, { place, isolation }: CleanRoom): Record<string, string> {
  const isThere = (text: string) =>
    !(isolation.name === 'none' && text.includes('{deps}')) && (isolation.coversGitDir || !text.includes('{cache}'));
  const fill = (text: string) => text.replaceAll('{deps}', place.deps).replaceAll('{cache}', place.packages);
  const entries = Object.entries(env).filter(([, value]) => isThere(value));
  return Object.fromEntries(entries.map(([name, value]) => [name, fill(value)]));
}

/** A pattern that matches only that path. */
function asPattern(path: string): string {
  return path.replace(/[\\*?[]/g, '\\$&');
}

/** See `CleanRoom.accept`. */
export async function markAccepted(place: RoomPlace, tree: string): Promise<void> {
  const record = await readRecord(place);
  if (record.ran === tree && !record.accepted) await writeRecord(place, { ...record, accepted: true });
}

async function readRecord(place: RoomPlace): Promise<RoomRecord> {
  try {
    const { setUp, ran, accepted, installed } = JSON.parse((await readText(place.record)) ?? '') as RoomRecord;
    return Array.isArray(installed) ? { setUp, ran, accepted, installed } : NOTHING;
  } catch {
    return NOTHING;
  }
}

async function writeRecord(place: RoomPlace, record: RoomRecord): Promise<void> {
  await writePrivate(place.record, `${JSON.stringify(record)}\n`, { fsync: false });
}

/** Lock files of large projects have a few megabytes; for a larger file only the name counts. */
const FILE_BYTES = 8 * 1024 * 1024;
const ALL_BYTES = 48 * 1024 * 1024;

/**
 * The commands that install what the checks of a tree need.
 * @param folder a checkout of the tree: files that git does not see there do not count
 * @param setup `checks.setup`; null: by the files of the tree
 */
export async function findSetUp(
  git: Pick<Git, 'paths'>,
  { tree, folder }: { readonly tree: string; readonly folder: string },
  setup: readonly string[] | null,
): Promise<readonly SetUpStep[]> {
  const paths = (await git.paths(tree)).filter(isSetUpFile);
  if (setup !== null) {
    const common = { tool: 'checks.setup', folder: '', decides: paths, env: {}, setUpEnv: {}, path: [] };
    return setup.map((command) => ({ ...common, command }));
  }
  const files: Record<string, string> = {};
  let left = ALL_BYTES;
  for (const path of paths) {
    const facts = await stat(`${folder}/${path}`);
    const isRead = facts?.kind === 'file' && facts.size <= Math.min(FILE_BYTES, left);
    files[path] = isRead ? ((await readText(`${folder}/${path}`)) ?? '') : '';
    if (isRead) left -= facts.size;
  }
  return setUpOf(files);
}

/** A command with the folder where it runs, for people. */
export function shownStep({ folder, command }: SetUpStep): string {
  return folder === '' ? command : `${command} (in ${folder})`;
}
