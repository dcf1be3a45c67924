import { FileProblemsError, type Problem } from '../../../contracts/index.ts';
import { readText } from '../../../platform/index.ts';
import type { AgentTask } from '../port.ts';
import { type Action, parseScenario, problem, type Scenario, type When } from './parse-scenario.ts';
import type { Script } from './stage.ts';

/**
 * Reads and checks a scenario file. Throws FileProblemsError with every problem and its line; a missing file is one.
 */
export async function loadScenario(path: string): Promise<Scenario> {
  const source = await readText(path);
  if (source === null) {
    const fix = 'name an existing file with --scenario';
    throw unusable(path, [problem(path, 1, 'scenario/missing', 'the file does not exist', fix)]);
  }
  const parsed = parseScenario(path, source);
  if ('problems' in parsed) throw unusable(path, parsed.problems);
  return parsed.scenario;
}

function unusable(path: string, problems: readonly Problem[]): FileProblemsError {
  return new FileProblemsError({ what: 'the scenario cannot be played', where: path }, problems);
}

/** The facts of a task by which a step is chosen; unchanged after a crash, so that a replay plays the same step. */
type Facts = Pick<AgentTask, 'run' | 'storyId' | 'mode' | 'attempt' | 'reviewCount' | 'try' | 'iteration'>;

/**
 * The actions to play: those of the first step whose `when` matches, else the scenario's default, else a failure that
 * names what was asked for. Placeholders are filled in.
 */
export function chooseActions(scenario: Scenario, facts: Facts): Pick<Script, 'actions' | 'refused'> {
  const step = scenario.steps.find((candidate) => matches(candidate.when, facts));
  const actions = step?.do ?? scenario.default ?? [unmatched(facts)];
  return fill({ actions, refused: step?.refused ?? [] }, facts);
}

function matches(when: When, facts: Facts): boolean {
  return (
    (when.story?.includes(facts.storyId) ?? true) &&
    (when.mode?.includes(facts.mode) ?? true) &&
    (when.attempt?.includes(facts.attempt) ?? true) &&
    (when.reviewCount?.includes(facts.reviewCount) ?? true) &&
    (when.try?.includes(facts.try) ?? true) &&
    (when.iteration?.includes(facts.iteration) ?? true)
  );
}

function unmatched({ storyId, mode, attempt, reviewCount, iteration, try: tried }: Facts): Action {
  const asked = `story ${storyId}, mode ${mode}, attempt ${attempt}, reviewCount ${reviewCount}, try ${tried}, iteration ${iteration}`;
  return { name: 'fail', input: { kind: 'crash', message: `the scenario has no step for ${asked}, and no default` } };
}

/** Replaces placeholders such as `{{STORY_ID}}` in every text, literally and once. */
function fill<Value>(value: Value, facts: Facts): Value {
  const known: Readonly<Record<string, string>> = {
    RUN: facts.run,
    STORY_ID: facts.storyId,
    MODE: facts.mode,
    ATTEMPT: String(facts.attempt),
    REVIEW_COUNT: String(facts.reviewCount),
    TRY: String(facts.try),
    ITERATION: String(facts.iteration),
  };
  const visit = (item: unknown): unknown => {
    if (typeof item === 'string')
      return item.replace(/\{\{([A-Z_]+)\}\}/g, (whole, name: string) => known[name] ?? whole);
    if (Array.isArray(item)) return item.map(visit);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value) as Value;
}
