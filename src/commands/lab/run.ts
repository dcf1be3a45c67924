import { resolve } from 'node:path';
import { agentByName } from '../../adapters/agents/index.ts';
import type { Git } from '../../adapters/git/index.ts';
import { freeze, loadConfig, withoutSettings } from '../../adapters/workspace/index.ts';
import { type Config, ExitCode, UsageError } from '../../contracts/index.ts';
import {
  armsOf,
  attemptsLeft,
  chosenTasks,
  DEFAULT_PROMPT,
  type LabAsked,
  type LabRun,
  labFolder,
  readResults,
  readTasks,
  withLab,
} from '../../lab/index.ts';
import { isWithin, readText } from '../../platform/index.ts';
import { type Comparison, compare } from '../../rules/lab/index.ts';
import { counted, dollars, elapsed, oneLine, sumDollars } from '../../rules/text/index.ts';
import { type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { isolationIn } from '../run/flags.ts';
import { choiceOf, countOf, dollarsOf, isOn, namesOf, type RawFlags, textOf } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printLines, printResult } from '../shared/print.ts';
import { checksOnly, turnPorts } from '../shared/turn-ports.ts';
import { withSignals } from '../shared/with-signals.ts';
import { armLines } from './report.ts';

/** `ralph lab run`: agents, models and prompts on the tasks that were mined. */
export async function labRun(_: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  const { root } = git.repo;
  const lab = labFolder(git);
  await freeze(root, 'repository');
  const isolation = isolationIn(flags);
  const loaded = await loadConfig({ root, env: io.env, flags: isolation ? { isolation } : {}, onUntrusted: 'refuse' });
  for (const warning of loaded.warnings) io.stderr.write(`warning: ${warning}\n`);
  const { treesFolder } = await import('../../adapters/workspace/rooms.ts');
  const trees = await treesFolder(io.env, 'lab', git.repo.commonDir);
  const config = keptClosed(loaded.config, [root, git.repo.commonDir, trees]);
  const plan = await planOf(git, config, flags, io);
  if (isOn(flags, 'dryRun')) return printPlan(plan, config, flags, io);
  if (config.isolation.backend === 'none')
    io.stderr.write(
      'warning: without isolation an agent can find the commits that the tasks are made from; the results prove little\n',
    );
  const env = withoutSettings(io.env);
  const quiet = { ...io, env, stderr: { write: () => {} } };
  const asked = isolation !== undefined;
  const shown = isOn(flags, 'json') ? silently(io) : aloud(io);
  const { arms, prompts, planned, spent } = plan;
  const maxCost = dollarsOf(flags, 'maxCost') ?? null;
  const { runLab } = await import('../../lab/run.ts');
  const ran = await withLab(lab, 'run', () =>
    withSignals((signal) =>
      runLab({
        ...{ planned, maxCost, spent, parallel: countOf(flags, 'parallel') ?? 1 },
        ports: {
          ...{ git, lab, trees, config, env, signal },
          promptOf: ({ prompt }) => prompts.get(prompt) ?? null,
          openRun: turnPorts(quiet, asked),
          openIdle: checksOnly(quiet),
        },
        ...shown,
      }),
    ),
  );
  const { results } = await readResults(lab);
  const asIs = new Set(arms.map(({ name }) => name));
  const ours = results.filter(({ arm, task }) => asIs.has(arm.name) && plan.ids.has(task));
  if (!isOn(flags, 'json')) printLines(io, endLines(ran, compare(plan.tasks, ours, []), maxCost, io));
  return {
    complete: ExitCode.complete,
    errors: ExitCode.incomplete,
    cost: ExitCode.budget,
    stopped: ExitCode.interrupted,
  }[ran.ended];
}

type Plan = Awaited<ReturnType<typeof planOf>>;

async function planOf(git: Git, config: Config, flags: RawFlags, io: Io) {
  const lab = labFolder(git);
  const { tasks: mined } = await readTasks(lab);
  if (mined.length === 0)
    throw new UsageError({ what: 'the lab has no tasks yet', where: lab, fix: ['ralph lab mine'] });
  const tasks = chosenTasks(mined, textOf(flags, 'tasks'));
  const review = choiceOf(flags, 'review', ['on', 'off', 'both']) ?? (config.skipReview ? 'off' : 'on');
  const names = namesOf(flags, 'prompts') ?? [DEFAULT_PROMPT];
  const arms = armsOf(
    namesOf(flags, 'agents') ?? config.agent,
    names,
    review === 'both' ? [true, false] : [review === 'on'],
  );
  const { refuseOtherThan } = await import('../../lab/rehearsal.ts');
  for (const { agent, model } of arms) {
    await agentByName(agent);
    if (agent === 'scripted') refuseOtherThan(model);
  }
  /** Text by path. */
  const prompts = new Map<string, string>();
  for (const name of names) {
    const text = name === DEFAULT_PROMPT ? null : await readText(resolve(io.cwd, name));
    if (text === null && name !== DEFAULT_PROMPT)
      throw new UsageError({ what: `there is no prompt template ${name}`, fix: ['--prompts default,FILE'] });
    if (text !== null) prompts.set(name, text);
  }
  const { results, unreadable } = await readResults(lab);
  if (unreadable > 0) io.stderr.write(`warning: ${counted(unreadable, 'result')} of the lab cannot be read\n`);
  const repeats = countOf(flags, 'repeat') ?? 1;
  const ids = new Set(tasks.map(({ id }) => id));
  const ours = results.filter(({ task, arm }) => ids.has(task) && arms.some(({ name }) => name === arm.name));
  /** US dollars of earlier attempts of these arms at these tasks. */
  const spent = sumDollars(ours.map(({ costUsd }) => costUsd ?? 0));
  return { tasks, ids, arms, prompts, repeats, planned: attemptsLeft(tasks, arms, repeats, results), spent };
}

function printPlan({ ids, arms, repeats, planned, spent }: Plan, config: Config, flags: RawFlags, io: Io): number {
  const attempts = planned.map(({ task, arm, repeat }) => ({
    task: task.id,
    title: task.story.title,
    arm: arm.name,
    repeat,
  }));
  return printResult(io, flags, { arms, attempts, spentUsd: spent, isolation: config.isolation.backend }, [
    `${counted(ids.size, 'task')}, ${counted(arms.length, 'arm')}, ${counted(repeats, 'time')} each: ${counted(attempts.length, 'attempt')} left of ${ids.size * arms.length * repeats}`,
    ...attempts.map((one) => oneLine(`  ${one.task}  ${one.arm}${repeats > 1 ? ` #${one.repeat}` : ''}  ${one.title}`)),
    'Dry run: no agent was started.',
  ]);
}

/**
 * Paths that a person lets agents read, absolute; none may show the repository, or the repositories of other attempts.
 * @throws UsageError
 */
function keptClosed(config: Config, hidden: readonly string[]): Config {
  const [root = ''] = hidden;
  const place = (path: string): string => {
    const at = path.startsWith('~') ? path : resolve(root, path);
    if (!hidden.some((one) => isWithin(one, at) || isWithin(at, one))) return at;
    throw new UsageError({
      what: `isolation.read or isolation.write gives agents access to the repository: '${path}'`,
      why: 'it contains the solution of every task',
      fix: ['remove that path while the lab runs'],
    });
  };
  const { read, write } = config.isolation;
  return { ...config, isolation: { ...config.isolation, read: read.map(place), write: write.map(place) } };
}

type Shown = Pick<LabAsked, 'onResult' | 'tell'>;

function silently(io: Io): Shown {
  return {
    onResult: (result) => void io.stdout.write(`${JSON.stringify(result)}\n`),
    tell: (text) => void io.stderr.write(`${oneLine(text)}\n`),
  };
}

function aloud(io: Io): Shown {
  const paint = paintFor(io);
  const tone = { solved: 'good', unsolved: 'bad', error: 'warn' } as const;
  return {
    onResult(result, { done, of, leftMs }) {
      const { task, arm, outcome, iterations, costUsd, seconds, reason } = result;
      const facts = [counted(iterations, 'iteration'), dollars(costUsd), elapsed(seconds * 1000)].join(' · ');
      const left = done < of ? ` · about ${elapsed(leftMs)} left` : '';
      const text = `${oneLine(arm.name)} on ${task}: ${paint(tone[outcome], outcome)}  ${facts}${left}`;
      printLines(io, [`[${done}/${of}] ${text}`, ...(outcome === 'solved' ? [] : [`    ${oneLine(reason)}`])]);
    },
    tell: (text) => printLines(io, [oneLine(text)]),
  };
}

function endLines({ ended, left }: LabRun, lab: Comparison, maxCost: number | null, io: Io): readonly string[] {
  const why = {
    complete: null,
    cost: `--max-cost ${dollars(maxCost)} is spent: ${counted(left, 'attempt')} left`,
    stopped: `stopped: ${counted(left, 'attempt')} left; the same command continues`,
    errors: `${counted(left, 'attempt')} skipped; the same command tries them again`,
  }[ended];
  return [
    ...(lab.arms.length === 0 ? [] : ['', ...armLines(lab, io)]),
    ...(why === null ? [] : ['', why]),
    ...['', 'Next: ralph lab report'],
  ];
}
