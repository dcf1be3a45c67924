import { basename } from 'node:path';
import type { Git } from '../adapters/git/index.ts';
import { copyToWorktree, type Workspace } from '../adapters/workspace/index.ts';
import { type Config, ConfigError, type EventSink, UsageError } from '../contracts/index.ts';
import {
  loopFiles,
  openRoom,
  type RoomPort,
  type RunPorts,
  runInside,
  type SetUpFailure,
  type SetUpPorts,
  type StartFacts,
} from '../loop/index.ts';
import { systemClock } from '../platform/index.ts';

const SETUP_OUTPUT_BYTES = 64 * 1024;
const SHOWN_LINES = 12;

interface SetUpInput {
  /** Of the work tree to set up. */
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
  /** Where `config` was read from, absolute; default: the work tree. */
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute: the source for the paths of `checks.copy`; null where there is none. */
  readonly from: string | null;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** Reports progress to people: one sentence. */
  readonly tell: (text: string) => void;
}

/**
 * Makes a new work tree usable: copies the files that `checks.copy` names, and runs the install commands in its clean
 * room. After an interruption or failure the next call repeats all of it.
 * @throws ConfigError for a path that cannot be copied; UsageError with the output of a command that failed
 */
export async function setUpTree(input: SetUpInput): Promise<void> {
  const { git, workspace, config, from, file = git.repo.root, env, openRun, tell } = input;
  const problem = from === null ? null : await copyToWorktree(from, git.repo.root, config.checks.copy);
  if (problem !== null) throw new ConfigError({ what: problem, where: file, fix: ['correct `checks.copy` there'] });
  const opened = await openRun({ git, workspace, config });
  const run = `set-up-${process.pid}-${basename(git.repo.root)}`;
  const emit: SetUpPorts['emit'] = (_, body) => {
    if (body.type === 'notice') tell(body.text);
  };
  const ports = { ...opened, git, config, env, signal: input.signal, run, clock: systemClock, emit };
  try {
    if (opened.room) await setUpByRoom(ports, opened.room, workspace, file);
    else await setUpHere(ports, file);
  } finally {
    await Promise.all([opened.isolation.dispose(), opened.checksIsolation.dispose()]);
    await opened.close();
  }
}

async function setUpByRoom(ports: SetUpPorts, port: RoomPort, workspace: Workspace, file: string): Promise<void> {
  const { git } = ports;
  const { enterRoom, layInto } = await import('../loop/room/enter.ts');
  const room = await openRoom(port, { ...ports, onRefusal: () => {} });
  try {
    const tree = await room.treeOf(await git.tree(), loopFiles(workspace));
    const entered = await enterRoom(ports, room, { tree, parent: await git.resolve('HEAD') });
    if (entered.kind === 'set-up-failed') throw setUpFailed(entered, file);
    await layInto(room, git.repo.root);
  } finally {
    await room.close();
  }
}

/** Without a room only what the settings name is installed. */
async function setUpHere(ports: SetUpPorts & OpenedRun, file: string): Promise<void> {
  const { run, emit, checksIsolation } = ports;
  const commands = ports.config.checks.setup ?? [];
  if (commands.length === 0) return;
  await checksIsolation.prepare({ run, localPorts: [], onRefusal: () => {} });
  for (const command of commands) {
    emit(0, { type: 'notice', level: 'info', text: `Setting up the work tree: ${command}` });
    const asked = { file: 'sh', args: ['-c', command], mounts: [], maxBytes: SETUP_OUTPUT_BYTES };
    const { exitCode, timedOut, stdout, stderr } = await runInside(ports, asked);
    const output = Buffer.concat([stdout, stderr]).toString('utf8').trim();
    if (exitCode !== 0) throw setUpFailed({ command, exitCode, timedOut, output }, file);
  }
}

function setUpFailed(
  { command, exitCode, timedOut, output }: Pick<SetUpFailure, 'command' | 'exitCode' | 'timedOut' | 'output'>,
  file: string,
): UsageError {
  const said = output.split('\n').slice(-SHOWN_LINES);
  const end = timedOut ? 'it took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  return new UsageError({
    what: `the dependencies of a fresh work tree could not be installed: \`${command}\` (${end})`,
    where: file,
    ...(output === '' ? {} : { why: ['it said:', ...said].join('\n    ') }),
    fix: [
      `name the commands that install them in \`checks.setup\` (${file}), and ignored files that they need in \`checks.copy\``,
      'then start again: ralph tries it again',
      '`ralph doctor --checks` tries them here',
    ],
  });
}

/** A work tree in which a run works. */
export interface RunPlace {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
}

/** What a run needs besides its place: agents, isolation, and receivers of notices. */
export interface OpenedRun
  extends Pick<RunPorts, 'workspace' | 'agents' | 'isolation' | 'checksIsolation' | 'room' | 'openControl'>,
    Omit<StartFacts, 'version'> {
  /** Notifies the configured receivers. Must not throw. */
  readonly see: EventSink;
  /** After the last event; waits until they are notified. */
  close(): Promise<void>;
}

/**
 * Provides that; passed in by the commands, as only they know surfaces and the command line.
 * @throws UnavailableError where no agent, or no required isolation, is available
 */
export type OpenRun = (place: RunPlace) => Promise<OpenedRun>;
