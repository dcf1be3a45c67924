import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AgentEvent, type Config, UnavailableError, UsageError } from '../../../contracts/index.ts';
import { exists, writeAtomic } from '../../../platform/index.ts';
import { type Ended, type Exit, endWithoutResult, errorOfEnd } from '../ends.ts';
import type { AgentAdapter, AgentAvailability, AgentCommand, AgentTask } from '../port.ts';
import { type Session, translatorOf } from '../translate.ts';
import type { Wire } from '../wire.ts';
import { chooseActions, loadScenario } from './scenario.ts';
import type { ResultLine, Script } from './stage.ts';

/**
 * Plays a YAML scenario in its own process: for the demo, rehearsals, tests and benchmarks. The scenario is read and
 * checked here, and the player gets the finished list of actions, so that it starts quickly.
 */
export const scripted: AgentAdapter = {
  name: 'scripted',
  capabilities: { hooks: false, tools: false, cost: true, tokens: true, limits: true, budget: false },
  environment: [],
  inside: { hosts: () => [], config: null, logins: [], seeds: {} },
  // Its player runs in the loop's own node, which is always available.
  program: () => null,
  detect,
  command,
  translator: () => translatorOf(beginning(), translate, conclude),
};

/** Throws FileProblemsError or UsageError when the scenario itself is unusable: it is for the user to fix that file. */
async function detect(config: Config): Promise<AgentAvailability> {
  const path = scenarioPath(config);
  const scenario = await loadScenario(path);
  await playerArguments();
  return { ok: true, version: null, detail: `${scenario.steps.length} steps in ${path}`, fix: '' };
}

async function command(task: AgentTask): Promise<AgentCommand> {
  const scenario = await loadScenario(scenarioPath(task.config));
  const script: Script = {
    sessionId: `scripted-${task.run}-${task.iteration}-${task.try}`,
    model: task.model ?? scenario.model,
    storyId: task.storyId,
    backlog: scenario.backlog,
    progress: scenario.progress,
    hooks: scenario.hooks,
    ...chooseActions(scenario, task),
  };
  const file = join(task.tempDir, 'script.json');
  await writeAtomic(file, JSON.stringify(script), { fsync: false });
  return {
    file: process.execPath,
    args: [...(await playerArguments()), file],
    cwd: task.cwd,
    env: { ...task.env },
    stdin: task.prompt,
  };
}

function scenarioPath(config: Config): string {
  const { scenario } = config.scripted;
  if (scenario) return resolve(scenario);
  throw new UsageError({
    what: 'the scripted agent needs a scenario',
    fix: [
      'name one with --scenario FILE or scripted.scenario in the configuration',
      'its form: docs/scripted-agent.md',
    ],
  });
}

/** Node's arguments that start the player: the bundle beside this code, or the source when run from source. */
async function playerArguments(): Promise<string[]> {
  if (import.meta.url.endsWith('.ts')) {
    // A file URL: node resolves a bare --import from the working folder, which is the agent's.
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    return ['--import', tsx, fileURLToPath(new URL('./player.ts', import.meta.url))];
  }
  for (const place of ['./scripted-agent.cjs', '../scripted-agent.cjs']) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    if (await exists(path)) return [path];
  }
  throw new UnavailableError({
    what: 'the scripted agent is not part of this installation',
    where: 'scripted-agent.cjs beside the program',
    fix: ['reinstall @ralph-loop/cli'],
  });
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set<AgentEvent['type']>([
  'session',
  'text',
  'tool-call',
  'tool-result',
  'usage',
  'limit',
  'retry',
  'notice',
]);

type Stream = Session & ReturnType<typeof beginning>;

const beginning = () => ({ result: null as ResultLine | null });

/** The player already prints AgentEvents; only other lines need handling. */
function translate(session: Stream, wire: Wire): readonly AgentEvent[] {
  if (wire['type'] === 'result') session.result = wire as unknown as ResultLine;
  if (!EVENT_TYPES.has(wire['type'])) return [];
  const event = wire as unknown as AgentEvent;
  if (event.type === 'session') session.sessionId = event.sessionId;
  return [event];
}

function conclude({ result }: Stream, exit: Exit): Ended {
  if (result === null) return { error: endWithoutResult(exit) };
  const { text, usage, costUsd, turns, limit, error } = result;
  return { text, usage, costUsd, turns, limit, error: error ?? errorOfEnd(exit, text) };
}
