import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { checksWithinOthers, detectChecks } from '../../adapters/workspace/config/detect-checks.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { isCutOff } from '../../adapters/workspace/records/journal.ts';
import type { Config } from '../../contracts/config.ts';
import { findSetUp, shownStep } from '../../loop/room/find-set-up.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import { liveRun } from '../shared/live-run.ts';
import type { CheckFault } from './check-commands.ts';
import { type Finding, look } from './finding.ts';

/** The backlog as a run would read it. */
export async function examineBacklog(workspace: Workspace): Promise<readonly [BacklogDocument | null, Finding]> {
  const [loaded, finding] = await look(
    'backlog',
    () => loadOrThrow(workspace),
    ({ document }) => `${document.file}: ${counted(document.backlog.stories.length, 'story', 'stories')}`,
  );
  if (loaded === null) return [null, finding];
  const { stories } = loaded.document.backlog;
  if (stories.length > 0) return [loaded.document, finding];
  const mend = ['ralph plan', 'ralph stories add "Title" -c "criterion"'];
  return [loaded.document, { ...finding, state: 'failed', detail: `${loaded.document.file}: no stories yet`, mend }];
}

/** Are there checks, and can each be started? Nothing is run: `--checks` does that. */
export async function examineChecks(
  commands: readonly string[],
  root: string,
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<Finding> {
  const common = { name: 'checks', concerns: 'place' } as const;
  if (commands.length === 0) {
    const found = await detectChecks(root);
    if (found.length > 0)
      return { ...common, state: 'ok', detail: `${found.join(' · ')} (found in the project's files)`, mend: [] };
    return {
      ...common,
      state: 'warning',
      detail: 'there are none: a story is done when an agent says so',
      mend: [`ralph config set verifyCommands '["npm test"]'`],
    };
  }
  const faults = (await Promise.all(commands.map(faultOf))).flatMap((fault) => fault ?? []);
  if (faults.length === 0) {
    const more = (await checksWithinOthers(root, commands)).map(
      ({ check, within }) => `\`${check}\` runs twice for each tree: \`${within}\` runs it, too`,
    );
    return { ...common, state: 'ok', detail: commands.join(' · '), more, mend: [] };
  }
  return {
    ...common,
    state: 'warning',
    detail: faults.map(({ says }) => says).join('; '),
    mend: [...new Set(faults.flatMap(({ mend }) => mend))],
  };
}

/** Where do checks run, and what is installed there? Nothing is run: `--checks` does that. */
export async function examineSetUp({ checks }: Pick<Config, 'checks'>, git: Git): Promise<Finding> {
  const common = { name: 'clean room', state: 'ok', concerns: 'place', mend: [] } as const;
  if (checks.where === 'tree')
    return { ...common, detail: "none (checks.where: tree): checks run in the agent's tree" };
  const here = { tree: await git.tree(), folder: git.repo.root };
  const steps = (await findSetUp(git, here, checks.setup)).map(shownStep);
  const detail =
    steps.length === 0 ? 'checks run there; nothing has to be installed' : `set up by ${steps.join(', then ')}`;
  return { ...common, detail };
}

/** Is a run under way, or one that a crash cut off? */
export async function examineRuns(git: Git): Promise<Finding | null> {
  const [live, cutOff] = await Promise.all([liveRun(git), isCutOff(git.repo.stateDir)]);
  const common = { name: 'runs', state: 'warning', concerns: 'place' } as const;
  if (live !== null)
    return { ...common, detail: `run ${live.run} is under way: a second one would be refused`, mend: ['ralph stop'] };
  return cutOff
    ? {
        ...common,
        detail: 'the last run was cut off in the middle of an iteration; the next one puts everything back first',
        mend: ['ralph run'],
      }
    : null;
}
