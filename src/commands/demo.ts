import { agentByName } from '../adapters/agents/index.ts';
import { initRepository, openGit } from '../adapters/git/index.ts';
import { findWorkspace, loadConfig, withoutSettings } from '../adapters/workspace/index.ts';
import type { RalphEvent } from '../contracts/index.ts';
import { copy, makeTempDir, packageFolder, systemClock } from '../platform/index.ts';
import { shellWord } from '../rules/text/index.ts';
import { createRunLog, type Io, jsonSink, narrate, paintFor } from '../surfaces/terminal/index.ts';
import { isolate } from './isolate.ts';
import { runWithSignals, summaryLines } from './run/live.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { printLines } from './shared/print.ts';

/**
 * `ralph demo`: a whole run on a throw-away repository with the scripted agent. Everything but the agent's
 * intelligence is real: git, processes, checks, reviews, the roll-back. The repository stays in the temp folder.
 */
export async function demo(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const json = isOn(flags, 'json');
  const paint = paintFor(io);
  const source = `${await packageFolder()}/templates/demo`;
  const root = await makeTempDir('ralph-demo-');
  for (const part of ['package.json', 'src', 'test', 'ralph']) await copy(`${source}/${part}`, `${root}/${part}`);
  await initRepository(root, 'A cash register for a small shop: requirements, stories and the first lines of code');
  if (!json) printLines(io, introduction(root, paint));

  const git = await openGit(root);
  const env = withoutSettings(io.env);
  const workspace = await findWorkspace({ root: git.repo.root, cwd: root, flags: {}, env });
  const scenario = `${source}/scenario.yaml`;
  const { config } = await loadConfig({
    root: git.repo.root,
    env,
    flags: { agent: ['scripted'], scripted: { scenario } },
    onUntrusted: 'given',
  });
  const told = new Set<string>();
  const comment = (event: RalphEvent) => narrate(event, told, paint);
  const log = json
    ? jsonSink(io)
    : createRunLog({ io, verbose: isOn(flags, 'verbose'), now: systemClock.now, comment });
  try {
    const agents = [await agentByName('scripted')];
    const request = { only: null, until: null, once: false, resetCircuit: false, limits: {} };
    const isolated = await isolate({ git, workspace, config, env, agents, asked: false });
    const ports = { git, workspace, clock: systemClock, agents, env };
    const summary = await runWithSignals({ ...ports, ...isolated, config, request }, log);
    log.close();
    if (!json) printLines(io, [...summaryLines(summary, io), '', ...farewell(root, self(io.env), paint)]);
    return summary.exitCode;
  } finally {
    log.close();
  }
}

function introduction(root: string, paint: ReturnType<typeof paintFor>): readonly string[] {
  return [
    paint(
      'strong',
      'ralph works through a list of stories with a coding agent, and trusts nothing that the agent says.',
    ),
    '',
    'You will now see a whole run. The agent is scripted, so it needs no key and no network; the git',
    'repository, the processes, the tests and the loop are real. ralph/tasks.json holds four stories:',
    '  one succeeds at once, one breaks its tests, one is sent back by the review, and in one the agent tries to',
    '  force-push and to approve its own work.',
    '',
    `The repository: ${root}`,
    '',
  ];
}

/** What a person types here: for the demo in a clone, `ralph` is not on the path yet. */
function self(env: Io['env']): string {
  return env['npm_command'] === 'run-script' || env['npm_command'] === 'run' ? `node ${process.argv[1]}` : 'ralph';
}

function farewell(root: string, ralph: string, paint: ReturnType<typeof paintFor>): readonly string[] {
  const inspect = [
    ['git log --stat', 'one commit for each accepted iteration, including reviews'],
    [`${ralph} log`, 'every iteration and its verdict'],
    [`${ralph} rescue list`, 'rolled-back work; nothing is lost'],
    [`${ralph} stories show US-002`, 'a story with its evidence'],
    [`${ralph} dashboard`, 'the same run in the browser; `ralph monitor` in the terminal'],
    [`${ralph} report`, 'the same as one HTML file'],
  ] as const;
  const width = Math.max(...inspect.map(([command]) => command.length));
  return [
    paint('strong', 'That was the demo. Look around in its repository:'),
    `  cd ${shellWord(root)}`,
    ...inspect.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`),
    'Then, in your own repository: ralph "what you want done".',
  ];
}
