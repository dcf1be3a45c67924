import { dirname } from 'node:path';
import { type AgentAdapter, droppedNames, passedEnvironment } from '../../adapters/agents/index.ts';
import type { Git } from '../../adapters/git/index.ts';
import type { Refusal } from '../../adapters/isolation/index.ts';
import type { Workspace } from '../../adapters/workspace/index.ts';
import type { Config, Env } from '../../contracts/index.ts';
import {
  type CleanRoom,
  type Entered,
  loopFiles,
  openRoom,
  runInside,
  type SetUpFailure,
  type SetUpPorts,
} from '../../loop/index.ts';
import { type CommandResult, isThere, remove, runCommand, systemClock } from '../../platform/index.ts';
import { isolate } from '../isolate.ts';
import { comparedFinding, type Outcome, setUpFinding } from './compared.ts';
import type { Finding } from './finding.ts';
import type { CheckFault } from './project.ts';

interface Ground {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly agents: readonly AgentAdapter[];
  readonly env: Env;
}

const OUTPUT_BYTES = 16 * 1024;
/** Name of the guest git dir, which a run does not use. */
const GUEST = 'doctor';

/**
 * `ralph doctor --checks`: runs each check as a person would, as an agent would in the isolation, and as a run does in
 * a clean room. One after the other, because they share the work tree.
 */
export async function compareChecks(
  commands: readonly string[],
  ground: Ground,
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<readonly Finding[]> {
  if (commands.length === 0) return [];
  const { git, workspace, config, agents, env } = ground;
  const refused = new Set<string>();
  const run = `doctor-${process.pid}`;
  const isolated = await isolate({ git, workspace, config, env, agents, asked: false, room: 'doctor' });
  const { isolation, checksIsolation } = isolated;
  const findings: Finding[] = [];
  const onRefusal = ({ host }: Refusal) => void refused.add(host);
  const ports = { git, config, env, agents, isolation, checksIsolation, run, clock: systemClock, emit: () => {} };
  const inRoom = { ...ports, signal: new AbortController().signal };
  const room = isolated.room && (await openRoom(isolated.room, { ...ports, onRefusal }));
  const known = {
    env,
    withheld: droppedNames(env, config, agents),
    settings: config,
    isThere: (path: string) => !`${path}/`.startsWith(`${git.repo.root}/`) && isThere(path),
  };
  try {
    await checksIsolation.prepare({ run, localPorts: [], onRefusal });
    const entered = room && (await enterHere(inRoom, room, workspace));
    if (entered !== null) findings.push(setUpFinding(entered));
    const mounts = checksIsolation.coversGitDir ? (await git.openGuest(GUEST)).mounts : [];
    for (const command of commands) {
      refused.clear();
      const limits = { timeoutMs: config.checks.timeoutMs, maxBytes: OUTPUT_BYTES, marker: run };
      const outside = outcomeOf(await runCommand('sh', ['-c', command], { ...limits, cwd: git.repo.root, env }));
      const wrapped = await checksIsolation.wrap({
        file: 'sh',
        args: ['-c', command],
        cwd: git.repo.root,
        env: passedEnvironment(env, config, []),
        mounts,
      });
      const inside = outcomeOf(
        await runCommand(wrapped.file, wrapped.args, { ...limits, cwd: wrapped.cwd, env: wrapped.env }).finally(() =>
          wrapped.end(),
        ),
      );
      const inThere = room && entered?.kind === 'entered' ? await outcomeInRoom(inRoom, room, command, entered) : null;
      const compared = { command, outside, inside, room: inThere, where: checksIsolation.name, refused: [...refused] };
      findings.push(comparedFinding(compared, { ...known, fault: await faultOf(command) }));
    }
  } finally {
    await Promise.all([...new Set([isolation, checksIsolation])].map((one) => one.dispose()));
    if (room) await room.close().then(() => remove(dirname(room.place.folder)));
    if (checksIsolation.coversGitDir) await git.removeGuest(GUEST);
  }
  return findings;
}

/** The work tree is checked in its current state. */
async function enterHere(ports: SetUpPorts, room: CleanRoom, workspace: Workspace): Promise<Entered | SetUpFailure> {
  const { git } = ports;
  const tree = await room.treeOf(await git.tree(), loopFiles(workspace));
  const { enterRoom } = await import('../../loop/room/enter.ts');
  return enterRoom(ports, room, { tree, parent: await git.resolve('HEAD') });
}

async function outcomeInRoom(ports: SetUpPorts, room: CleanRoom, command: string, { env }: Entered): Promise<Outcome> {
  const where = { cwd: room.place.folder, env, mounts: [], isolation: await room.opened() };
  return outcomeOf(await runInside(ports, { file: 'sh', args: ['-c', command], ...where, maxBytes: OUTPUT_BYTES }));
}

function outcomeOf({ exitCode, timedOut, stdout, stderr }: CommandResult): Outcome {
  return {
    exitCode: timedOut ? null : exitCode,
    output: `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`.trim(),
  };
}
