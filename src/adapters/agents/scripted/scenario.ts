import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { FileProblemsError, type Problem } from '../../../contracts/index.ts';
import { readText } from '../../../platform/index.ts';
import { ACTION_NAMES, type Scenario, scenarioSchema } from './scenario-schema.ts';

const SEE = 'see docs/scripted-agent.md for the form of a scenario';

/**
 * Reads and checks a scenario file. Throws FileProblemsError with every problem and its line; a missing file is one.
 */
export async function loadScenario(path: string): Promise<Scenario> {
  const source = await readText(path);
  if (source === null) {
    throw unusable(path, [
      problem(path, 1, 'scenario/missing', 'the file does not exist', 'name an existing file with --scenario'),
    ]);
  }
  const parsed = parseScenario(path, source);
  if ('problems' in parsed) throw unusable(path, parsed.problems);
  return parsed.scenario;
}

/** The scenario in a text, or what is wrong with it. `path` is only used in messages. */
export function parseScenario(path: string, source: string): { scenario: Scenario } | { problems: readonly Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map((error) => {
        const line = error.linePos?.[0].line ?? 1;
        const message = error.message.split('\n', 1)[0] ?? error.message;
        return problem(
          path,
          line,
          'scenario/yaml',
          message.replace(/ at line \d+, column \d+:?$/, ''),
          'mend the YAML',
        );
      }),
    };
  }
  const checked = scenarioSchema.safeParse(document.toJS());
  if (checked.success) return { scenario: checked.data };
  return { problems: formProblems(path, checked.error.issues, document, lines) };
}

function formProblems(
  path: string,
  issues: readonly z.core.$ZodIssue[],
  document: Document,
  lines: LineCounter,
): Problem[] {
  const places = new Set<string>();
  return issues
    .flatMap((issue) => {
      const place = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      const where = place.join('.');
      // An unknown action also counts as "no action": the first complaint about a place is the useful one.
      if (places.has(where)) return [];
      places.add(where);
      const culprit = issue.code === 'unrecognized_keys' ? [...place, ...issue.keys.slice(0, 1)] : place;
      const message = `${where}${where ? ': ' : ''}${describe(issue)}`;
      return problem(path, lineOf(document, lines, culprit), 'scenario/form', message, hint(issue));
    })
    .sort((a, b) => a.line - b.line);
}

/** The line of the innermost node on `place` that exists. */
function lineOf(document: Document, lines: LineCounter, place: readonly (string | number)[]): number {
  for (let depth = place.length; depth >= 0; depth -= 1) {
    const node = depth === 0 ? document.contents : document.getIn(place.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown ${issue.keys.map((key) => `'${key}'`).join(', ')}`;
  if (issue.code === 'invalid_union') return describeUnion(issue);
  return issue.message.endsWith('received undefined') ? 'is missing' : issue.message.replace(/^Invalid input: /, '');
}

/** Several forms were possible: the complaint of the nearest one, which is not about the type as such. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const complaints = issue.errors.flat();
  const nearest =
    complaints.find((complaint) => complaint.code !== 'invalid_type' || complaint.path.length > 0) ?? complaints[0];
  if (!nearest) return issue.message;
  const inside = nearest.path.length > 0 ? `${nearest.path.join('.')}: ` : '';
  return inside + describe(nearest);
}

function hint(issue: z.core.$ZodIssue): string {
  const isAction = issue.path.at(-2) === 'do' || issue.path.at(-2) === 'default';
  return isAction ? `actions: ${ACTION_NAMES.join(', ')}` : SEE;
}

function problem(file: string, line: number, rule: string, message: string, mend: string): Problem {
  return { severity: 'error', rule, file, line, message, mend };
}

function unusable(path: string, problems: readonly Problem[]): FileProblemsError {
  return new FileProblemsError({ what: 'The scenario cannot be played', where: path }, problems);
}
