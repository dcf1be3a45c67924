import type { Git } from '../../adapters/git/index.ts';
import { freeze } from '../../adapters/workspace/index.ts';
import { type Config, UsageError } from '../../contracts/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import {
  type Candidate,
  type Exchange,
  exchangeOf,
  type Folder,
  finishLanding,
  type Landing,
  named,
  streamsOf,
} from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { configOf } from '../shared/open.ts';
import { withSignals } from '../shared/with-signals.ts';
import { nextLines, storiesOf } from './folder-here.ts';

/** What is worked on: the streams of one repository, or of a folder of clones. */
export interface Streams {
  readonly streams: readonly Candidate[];
  readonly exchange?: Exchange;
  readonly config: Config;
  /** What its end says after the table. */
  more(): Promise<readonly string[]>;
}

/** Read once, before the first agent. */
export async function settingsOf(git: Git, io: Io): Promise<Config> {
  await freeze(git.repo.root, 'repository');
  const { config, warnings } = await configOf(git, io, 'refuse');
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  return config;
}

/** The streams of a folder of clones, as `ralph stream start` works on them. */
export async function streamsOfFolder(folder: Folder, names: readonly string[], io: Io): Promise<Streams> {
  await withSignals((signal) => finishKilled(folder, io, signal));
  const all = await streamsOf(folder);
  const streams = names.length === 0 ? all : named(all, names);
  if (streams.every(({ finished }) => finished)) throw nothingToStart(folder, await storiesOf(folder));
  const configs: Config[] = [];
  for (const { git } of streams) configs.push(await settingsOf(git, io));
  const exchange = exchangeOf(folder);
  return {
    streams,
    exchange,
    config: strictest(configs),
    more: async () => {
      await exchange.look();
      return ['', ...(await nextLines(folder))];
    },
  };
}

/** Limits for all of them together: of their settings, the lowest. */
function strictest(configs: readonly Config[]): Config {
  const [first] = configs;
  if (first === undefined) throw new Error('a folder without repositories');
  const [calls, maxCost, maxTokens] = (['calls', 'maxCost', 'maxTokens'] as const).map((name) =>
    Math.min(...configs.map((config) => config[name] ?? Number.POSITIVE_INFINITY)),
  );
  return { ...first, calls: calls ?? first.calls, maxCost: finite(maxCost), maxTokens: finite(maxTokens) };
}

const finite = (value = Number.POSITIVE_INFINITY) => (Number.isFinite(value) ? value : null);

function nothingToStart({ workspace }: Folder, stories: Awaited<ReturnType<typeof storiesOf>>): UsageError {
  const open = stories.filter((story) => !isDone(story));
  return open.length === 0
    ? new UsageError({
        what: 'every story is done',
        where: workspace.specDir,
        fix: ['`ralph stream merge` brings the work of all repositories to their branches'],
      })
    : new UsageError({
        what: 'no story can start now',
        where: workspace.specDir,
        why: open.map(({ id, dependsOn }) => oneLine(`${id} waits for ${dependsOn.join(', ')}`)).join('; '),
        fix: ['leave out the names of repositories, to work on all'],
      });
}

export async function finishKilled({ root }: Folder, io: Io, signal: AbortSignal): Promise<Landing | null> {
  const tell = (text: string) => void io.stderr.write(`${oneLine(text)}\n`);
  const landing = await finishLanding(root, io.env, { signal, tell });
  if (landing !== null) tell(`a merge was cut off: ${landingText(landing)}`);
  return landing;
}

/** How the branches moved. */
export const landingText = (landing: Landing): string => TEXT[landing.kind](landing);

const TEXT: Readonly<Record<Landing['kind'], (landing: Landing) => string>> = {
  landed: ({ landed }) => `merged together: ${landed.join(', ')}`,
  undone: ({ why }) => `nothing was merged: ${why.join('; ')}; try again`,
  kept: ({ landed, why }) =>
    `only ${landed.join(', ')} merged, because others built on it at once: ${why.join('; ')}; ralph stream merge merges the rest`,
};
