import { type Git, openGit } from '../../adapters/git/index.ts';
import { mainRoot, NoSpecFolder, slug, streamRoot } from '../../adapters/workspace/index.ts';
import { exists } from '../../platform/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import { type PreparedStream, prepareStream, streamBranch, streamName } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { secureCheckout, workspaceIn } from '../shared/open.ts';
import { printLines } from '../shared/print.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import type { RunFlags } from './flags.ts';

/**
 * Creates or finds the work tree of the workspace's stream. With `--dry-run` it only reports where that will be, and
 * returns the existing one. `farewell` is for the end of the run: where its work is, and how to bring it back.
 * @throws as `prepareStream` does
 */
export async function openWorktree(git: Git, asked: RunFlags, flags: RawFlags, io: Io) {
  // Spec and settings come from the checkout, but without changes of an agent that a crash interrupted there.
  if (!asked.dryRun) await secureCheckout(git);
  const { workspace, branch } = await storiesFor(git, flags, io);
  const { specDir } = workspace;
  const say = (text: string) => printLines(asked.json ? { ...io, stdout: io.stderr } : io, [oneLine(text)]);
  if (asked.dryRun) {
    const root = streamRoot(await mainRoot(git), asked.task === null ? streamName(workspace) : topicOf(branch));
    const isThere = await exists(root);
    say(
      `${isThere ? 'In' : 'Would make'} the work tree ${root}, on branch ${branch}; your checkout is left unchanged.`,
    );
    return { git: isThere ? await openGit(root, { env: io.env }) : git, specDir, farewell: [] };
  }
  const prepared = await prepareStream({
    git,
    workspace,
    branch,
    // Each task has a work tree of its own.
    ...(asked.task === null ? {} : { stream: topicOf(branch) }),
    flags: asked.config,
    env: io.env,
    openRun: turnPorts(io, asked.config.isolation !== undefined),
    // An interruption here loses nothing: the next start finishes it.
    signal: new AbortController().signal,
    tell: say,
  });
  say(`In the work tree ${prepared.root}, on branch ${prepared.branch}; your checkout is left unchanged.`);
  const own = await openGit(prepared.root, { env: io.env });
  return { git: own, specDir: prepared.specDir, farewell: farewellOf(prepared) };
}

/** The stories of this checkout, else those of the only other branch that has open ones. */
async function storiesFor(git: Git, flags: RawFlags, io: Io) {
  try {
    const workspace = await workspaceIn(git, flags, io);
    return { workspace, branch: await streamBranch(workspace) };
  } catch (error) {
    if (!(error instanceof NoSpecFolder)) throw error;
    return (await import('../shared/elsewhere.ts')).onlyElsewhere(git, error);
  }
}

/** `ralph/add-json-flag` → `add-json-flag`. */
const topicOf = (branch: string): string => slug(branch.replace(/^ralph\//, ''));

function farewellOf({ stream, root, branch }: PreparedStream): readonly string[] {
  const name = stream.replace(/^PRD-(?=\d+$)/, '');
  return [
    '',
    oneLine(`The work is in ${root}, on branch ${branch}.`),
    oneLine(`\`ralph stream merge ${shellWord(name)}\` merges it, if the checks pass on the merged tree.`),
  ];
}
