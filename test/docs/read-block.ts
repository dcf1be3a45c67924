import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parseAst } from 'rolldown/parseAst';
import { parse as parseYaml } from 'yaml';
import { parseScenario } from '../../src/adapters/agents/scripted/parse-scenario.ts';
import { configSchema } from '../../src/contracts/config.ts';
import { EVENT_TYPES } from '../../src/contracts/event-shape.ts';
import type { BacklogFormat } from '../../src/contracts/index.ts';
import { loadSource, validateBacklog } from '../../src/rules/backlog/index.ts';

/** Reads a block of a language as whoever it is meant for would. @throws saying what is wrong with it */
export const READERS: Readonly<Record<string, (text: string) => void>> = {
  json: readJson,
  jsonc: readJsonc,
  yaml: readYaml,
  yml: readYaml,
  js: (text) => void parseAst(text, { lang: 'js' }),
  ts: (text) => void parseAst(text, { lang: 'ts' }),
  markdown: (text) => {
    if (/^\s*[-*+] \[[ xX]\] /m.test(text)) readBacklog(text, 'markdown', 'plan.md');
  },
};

/** Languages that show something instead of asking for it, and those of which nothing here can say whether they are right. */
export const NOT_READ = [
  ...['', 'text', 'diff'],
  ...['toml', 'ini', 'dockerfile', 'html', 'css', 'powershell', 'fish', 'zsh'],
];

/** One document, or one in each line. */
function readJson(text: string): void {
  const isOne = (() => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  })();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (isOne) recognise(JSON.parse(text), text);
  else if (lines.every((line) => line.startsWith('{') && line.endsWith('}')) && lines.length > 1) {
    for (const line of lines) recognise(JSON.parse(line), line);
  } else JSON.parse(text);
}

function readJsonc(text: string): void {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new Error(`${printParseErrorCode(first.error)} in line ${line} of the block`);
  }
  recognise(value, JSON.stringify(value));
}

function recognise(value: unknown, text: string): void {
  if (typeof value !== 'object' || value === null) return;
  if ('userStories' in value) readBacklog(text, 'tasks-json', 'tasks.json');
  else if ('type' in value && 'ts' in value) readEvent(value);
  else if (isConfig(value)) readConfig(value);
}

/** Most of its keys are settings: one of them may be misspelt, and other documents share a name or two. */
function isConfig(value: object): boolean {
  const keys = Object.keys(value);
  const known = keys.filter((key) => Object.hasOwn(configSchema.shape, key));
  return known.length > 0 && known.length * 2 >= keys.length;
}

function readConfig(value: unknown): void {
  const { error } = configSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (issue) throw new Error(`configuration: ${issue.path.join('.')}: ${issue.message}`);
}

function readEvent(event: object): void {
  const { type, run } = event as { readonly type: unknown; readonly run?: unknown };
  if (!EVENT_TYPES.some((one) => one === type)) throw new Error(`there is no event of type '${type}'`);
  if (typeof run !== 'string') throw new Error('an event names its run');
}

function readBacklog(text: string, format: BacklogFormat, file: string): void {
  const { document, problems } = loadSource({ format, file, text, reviewsFile: 'reviews.json', reviewsText: null });
  const all = [...problems, ...(document ? validateBacklog(document) : [])];
  const [first] = all.filter(({ severity }) => severity === 'error');
  if (first) throw new Error(`line ${first.line} of the block: ${first.message}`);
}

function readYaml(text: string): void {
  const value: unknown = parseYaml(text);
  if (typeof value !== 'object' || value === null || !('steps' in value) || !('version' in value)) return;
  const parsed = parseScenario('the block', text);
  const [problem] = 'problems' in parsed ? parsed.problems : [];
  if (problem) throw new Error(`line ${problem.line} of the block: ${problem.message}`);
}
