import { createHash } from 'node:crypto';
import { delimiter, posix } from 'node:path';
import type { Isolation } from '../../adapters/isolation/index.ts';
import { copyToWorktree } from '../../adapters/workspace/index.ts';
import { type CheckResult, ConfigError } from '../../contracts/index.ts';
import { list, oneAtATime, readBytes, remove, stat } from '../../platform/index.ts';
import type { CheckPorts, CleanRoom, RunContext } from '../context.ts';
import { runCheck } from '../evidence/run-check.ts';
import type { RoomPort } from '../ports.ts';
import { openBook } from './book.ts';
import type { SetUpFailure, UnderJudgement } from './enter.ts';

/**
 * Opens the room for a run, with copies of the person's files in their present state.
 * @throws ConfigError for a path that cannot be copied
 */
export async function openRoom(
  { place, isolation }: RoomPort,
  {
    config,
    env,
    git,
    run,
    onRefusal,
  }: Pick<RunContext, 'config' | 'env' | 'git' | 'run'> & {
    readonly onRefusal: Parameters<Isolation['prepare']>[0]['onRefusal'];
  },
): Promise<CleanRoom> {
  const { copy: copied, setup } = config.checks;
  await remove(place.copies);
  const problem = await copyToWorktree(git.repo.root, place.copies, copied);
  if (problem !== null) {
    const fix = ['correct `checks.copy` there'];
    throw new ConfigError({ what: problem, where: git.repo.root, fix });
  }
  const about = JSON.stringify([setup, await digestOf(place.copies), process.platform, process.arch]);
  const trees = new Map<string, string>();
  let prepared: Promise<void> | null = null;
  return {
    place,
    isolation,
    book: await openBook(place.book, run),
    copies: copied.map((path) => posix.normalize(`/${path}`).replace(/\/$/, '')),
    setUp: createHash('sha256').update(about).digest('hex').slice(0, 16),
    searchPath: (env['PATH'] ?? '/usr/bin:/bin')
      .split(delimiter)
      .filter((folder) => !`${folder}/`.startsWith(`${git.repo.root}/`))
      .join(delimiter),
    opened: async () => {
      prepared ??= isolation.prepare({ run, localPorts: [], onRefusal });
      await prepared;
      return isolation;
    },
    treeOf: async (tree, loopFiles) => {
      const known =
        trees.get(tree) ?? (await git.treeWith(tree, Object.fromEntries(loopFiles.map((path) => [path, null]))));
      trees.set(tree, known);
      return known;
    },
    accept: async (tree) => {
      const judged = trees.get(tree);
      if (judged === undefined) return;
      const { markAccepted } = await import('./enter.ts');
      await markAccepted(place, judged);
    },
    inTurn: oneAtATime(),
    close: () => isolation.dispose(),
  };
}

/** Results in the book are reused; the other commands run. Each result is reported. */
export async function checkInRoom(
  ports: CheckPorts,
  room: CleanRoom,
  iteration: number,
  what: UnderJudgement,
  { commands, redBefore }: { readonly commands: readonly string[]; readonly redBefore: ReadonlySet<string> },
): Promise<readonly CheckResult[]> {
  const { book } = room;
  const judged = (command: string) =>
    ({ tree: what.tree, command, setUp: room.setUp, isolation: room.isolation.name }) as const;
  const results = new Map<string, CheckResult>();
  const tell = (result: CheckResult): void => {
    results.set(result.command, result);
    ports.emit(iteration, { type: 'check', result, baselineRed: redBefore.has(result.command) });
  };
  const open = async (): Promise<readonly string[]> => {
    const left: string[] = [];
    for (const command of commands) {
      if (results.has(command)) continue;
      const known = await book.known(judged(command));
      if (known) tell({ ...known, known: true });
      else left.push(command);
    }
    return left;
  };
  if ((await open()).length > 0) {
    await room.inTurn(async () => {
      // An earlier caller may have run the same checks.
      const left = await open();
      if (left.length === 0 || ports.signal.aborted) return;
      const { enterRoom } = await import('./enter.ts');
      const entered = await enterRoom(ports, room, what);
      const isolation = await room.opened();
      const one = async (command: string): Promise<void> => {
        if (ports.signal.aborted) return;
        ports.emit(iteration, { type: 'check-start', command });
        const result =
          entered.kind === 'set-up-failed'
            ? notSetUp(command, entered)
            : await withRetries(ports, () =>
                runCheck(ports, command, { cwd: room.place.folder, env: entered.env, mounts: [], isolation }),
              );
        // Stopping the run ended it: its exit code says nothing.
        if (ports.signal.aborted && !result.ok) return;
        await book.add(judged(command), result);
        tell(result);
      };
      if (ports.config.checks.parallel) await Promise.all(left.map(one));
      else for (const command of left) await one(command);
    });
  }
  return commands.flatMap((command) => results.get(command) ?? []);
}

/** A red check is rerun as often as the settings say; if it turns green it is shown as flaky. */
async function withRetries({ config, signal }: CheckPorts, run: () => Promise<CheckResult>): Promise<CheckResult> {
  let result = await run();
  for (let left = config.checks.retries; left > 0 && !result.ok && !result.timedOut && !signal.aborted; left -= 1) {
    const again = await run();
    const durationMs = result.durationMs + again.durationMs;
    result = again.ok ? { ...again, durationMs, flaky: true } : { ...again, durationMs };
  }
  return result;
}

/** A check cannot pass without what it needs. */
function notSetUp(
  command: string,
  { command: install, exitCode, timedOut, durationMs, output }: SetUpFailure,
): CheckResult {
  const end = timedOut ? 'it took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  const tail = `Not run: \`${install}\` failed in the clean room (${end}).\n${output.slice(-6_000)}`;
  return { command, ok: false, exitCode, timedOut, durationMs, tail, notSetUp: install };
}

/** A digest of all files in a folder, with their names. */
async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const walk = async (path: string): Promise<void> => {
    const facts = await stat(path);
    hash.update(`${path.slice(folder.length)}\0${facts?.kind}\0`);
    if (facts?.kind === 'file') hash.update((await readBytes(path)) ?? '');
    if (facts?.kind === 'dir') for (const name of [...(await list(path))].sort()) await walk(`${path}/${name}`);
  };
  await walk(folder);
  return hash.digest('hex');
}
