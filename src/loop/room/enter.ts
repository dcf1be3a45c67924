import { createHash } from 'node:crypto';
import { delimiter, dirname } from 'node:path';
import type { RoomPlace } from '../../adapters/workspace/rooms.ts';
import { writeAtomic } from '../../platform/files/atomic-file.ts';
import {
  copy,
  exists,
  list,
  makeDir,
  makeNewDir,
  move,
  readBytes,
  readText,
  remove,
  stat,
} from '../../platform/files/files.ts';
import { writePrivate } from '../../platform/files/private.ts';
import { type SetUpStep, setUpKey } from '../../rules/set-up/set-up.ts';
import { runInside } from '../inside/inside.ts';
import { findSetUp, shownStep } from './find-set-up.ts';
import type { CleanRoom, SetUpPorts } from './room.ts';

/** What is to be checked. */
export interface UnderJudgement {
  /** Without the loop's own files. */
  readonly tree: string;
  /** The commit that it builds on; null: none. */
  readonly parent: string | null;
}

/** A room that holds the tree, with everything installed. */
export interface Entered {
  readonly kind: 'entered';
  /** Of the checks, beside what every command of the project gets. */
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
  /** Key of the set-up that is there; null: none, or one that did not end. */
  readonly setUp: string | null;
  /** Tree whose checks ran there last; null: none did. */
  readonly ran: string | null;
  /** The work of that tree is on the branch. */
  readonly accepted: boolean;
  /** What the set-up put there: patterns of .gitignore. */
  readonly installed: readonly string[];
}

const NOTHING: RoomRecord = { setUp: null, ran: null, accepted: false, installed: [] };
/** Kept of what an install command says. */
const OUTPUT_BYTES = 64 * 1024;

/**
 * Brings the room to a tree. What checks left in ignored files stays only where their tree was accepted; else the room
 * holds nothing but the tree and what its set-up installs, so that rejected work cannot decide about a later check.
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
    // What a check left may be more than git can clean up.
    await Promise.all([folder, index].map(remove));
    record = NOTHING;
    await bring('remove', []);
  }
  const steps = await findSetUp(ports.git, { tree, folder }, ports.config.checks.setup);
  const key = await keyOf(room, steps);
  if (record.setUp !== key) {
    // Until it has ended, what is there is of no use.
    await writeRecord(room.place, NOTHING);
    if (ignored === 'keep') await bring('remove', []);
    await remove(deps);
    await makeDir(deps);
    for (const path of room.copies) await copy(`${room.place.copies}${path}`, `${folder}${path}`);
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

/** What decides whether a set-up has to be made again. */
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

/** Takes what the same set-up installed before, in this room or in another, or runs its commands. */
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
  // May be long: live views show what is done, and since when.
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

/** Whole or not at all: another room may make the same meanwhile. */
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

/** Of a repository; older ones go when a new one comes. */
const MOST_LAYERS = 8;

const isNoGitDir = (path: string) => path !== '/.git';

/** What a set-up installed in the folder where it was run. */
interface Layer {
  readonly folder: string;
  /** Paths below it, `/` first. */
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
 * Gives a work tree what the set-up of its tree installed in its room: what is there already stays. For a lane or a fresh
 * work tree, in which an agent is going to work.
 */
export async function layInto({ place }: CleanRoom, root: string): Promise<void> {
  const { installed } = await readRecord(place);
  const missing: string[] = [];
  for (const path of installed) if (!(await exists(`${root}${path}`))) missing.push(path);
  await lay(place.folder, { folder: place.folder, installed: missing }, root);
}

async function lay(from: string, { folder, installed }: Layer, to: string): Promise<void> {
  for (const path of installed) {
    await makeDir(dirname(`${to}${path}`));
    await copy(`${from}${path}`, `${to}${path}`);
    if (await exists(`${to}${path}/pyvenv.cfg`)) await relocate(`${to}${path}`, folder, to);
  }
}

/** Bytes of a program of a virtual environment that is a script; what is larger is none. */
const SCRIPT_BYTES = 64 * 1024;

/** A virtual environment of Python names the folder that it was made in: in its scripts, and where the project is. */
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

/** Variables of the checks, with the programs that the set-up installed before all others. */
function environmentOf(room: CleanRoom, steps: readonly SetUpStep[]): Readonly<Record<string, string>> {
  const folders = steps.flatMap(({ path }) => path.map((one) => `${room.place.folder}/${one}`));
  const variables = Object.assign({}, ...steps.map(({ env }) => filled(env, room)));
  return { ...variables, PATH: [...folders, room.searchPath].join(delimiter) };
}

/**
 * Without an isolation packages lie where the person's tools keep them; and where nothing can be mounted for one command
 * alone, a check could write into downloads of later set-ups.
 */
function filled(env: Readonly<Record<string, string>>, { place, isolation }: CleanRoom): Record<string, string> {
  const isThere = (text: string) =>
    !(isolation.name === 'none' && text.includes('{deps}')) && (isolation.coversGitDir || !text.includes('{cache}'));
  const fill = (text: string) => text.replaceAll('{deps}', place.deps).replaceAll('{cache}', place.packages);
  const entries = Object.entries(env).filter(([, value]) => isThere(value));
  return Object.fromEntries(entries.map(([name, value]) => [name, fill(value)]));
}

/** Matches that path alone. */
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
