import type { Problem, Story } from '../../contracts/index.ts';
import { shellWord } from '../text/index.ts';
import { type BacklogDocument, type Loaded, type LoadInput, type Parsed, unreadable } from './api.ts';
import { checkDependencies, resolveDependencies } from './dependencies.ts';
import { repairJson } from './formats/json-repair.ts';
import { parseJson } from './formats/json-syntax.ts';
import { readMarkdown } from './formats/markdown.ts';
import { readPrd } from './formats/prd-json.ts';
import { readPrompt } from './formats/prompt.ts';
import { isNative, readTasks } from './formats/tasks-json.ts';
import { decodeText } from './formats/text.ts';
import { checkReviews, overlayReviews } from './reviews/reviews.ts';

/** A backlog's texts and names, before they are parsed. */
export type BacklogSource = Omit<BacklogDocument, 'backlog'>;

/**
 * Reads a backlog and finds every problem that makes it unusable, each with file, line and fix. A `tasks.json` that
 * does not have the native shape is read like a `prd.json`, and the document says so in `format`.
 */
export function loadBacklog(input: LoadInput): Loaded {
  const decoded = decodeText(input.bytes, input.file);
  if ('problem' in decoded) return { document: null, problems: [decoded.problem] };
  const reviews = input.reviewsBytes ? decodeText(input.reviewsBytes, input.reviewsFile) : { text: null };
  if ('problem' in reviews) return { document: null, problems: [reviews.problem] };
  const { format, file, reviewsFile } = input;
  return loadSource({ format, file, text: decoded.text, reviewsFile, reviewsText: reviews.text });
}

/** Loads a backlog from its texts. */
export function loadSource(source: BacklogSource): Loaded {
  const { file, reviewsFile, reviewsText } = source;
  const problems: Problem[] = reviewsText === null ? [] : checkReviews(reviewsText, reviewsFile);
  const parsed = resolved(parse(source), file);
  problems.push(...parsed.problems);
  const usable = !problems.some(isError);
  const stories =
    parsed.format !== 'tasks-json' && usable
      ? overlayReviews(parsed.backlog.stories, reviewsText)
      : parsed.backlog.stories;
  const byId = new Map<string, Story>();
  problems.push(...checkUniqueIds(stories, byId, file), ...checkDependencies(byId, file));
  problems.sort((a, b) => (a.file === b.file ? a.line - b.line : 0));
  if (problems.some(isError)) return { document: null, problems };
  const backlog = { ...parsed.backlog, stories };
  return { document: { ...source, format: parsed.format, backlog }, problems };
}

function parse(source: BacklogSource): Parsed {
  const { format, file, text } = source;
  if (format === 'markdown') return readMarkdown(text, file);
  if (format === 'prompt') return readPrompt(text, file);
  const parsed = parseJson(text, file);
  if ('problem' in parsed) return unreadable(format, withRepair(parsed.problem, text));
  const { value } = parsed;
  if (format === 'tasks-json' && isNative(value)) return readTasks(value as Record<string, unknown>, text, file);
  return readPrd(value, text, file, format);
}

/** A longer text was written by a program, and trying to repair it takes seconds at each read. */
const TRIED = 1_000_000;

/** Adds to a problem that the file can be repaired without a person. */
function withRepair(problem: Problem, text: string): Problem {
  if (problem.rule !== 'schema/syntax' || text.length > TRIED || repairJson(text) === null) return problem;
  return { ...problem, mend: `${problem.mend} \`ralph import ${shellWord(problem.file)} --repair\` tries it for you.` };
}

/** Other tools name dependencies in many ways; in the native file only ids count, and anything else is an error. */
function resolved(parsed: Parsed, file: string): Parsed {
  if (parsed.format === 'tasks-json') return parsed;
  const { stories, problems } = resolveDependencies(parsed.backlog.stories, file);
  return { ...parsed, backlog: { ...parsed.backlog, stories }, problems: [...parsed.problems, ...problems] };
}

/**
 * Two stories with the same id cannot be told apart. (Foreign formats number theirs when they are read.) Fills `first`
 * with the first story of each id.
 */
function checkUniqueIds(stories: readonly Story[], first: Map<string, Story>, file: string): Problem[] {
  const problems: Problem[] = [];
  for (const story of stories) {
    const earlier = first.get(story.id);
    if (!earlier) first.set(story.id, story);
    else if (story.id !== '') {
      problems.push({
        severity: 'error',
        rule: 'schema/unique-id',
        file,
        line: story.line,
        message: `${story.id}: the id is already that of the story at line ${earlier.line}`,
        mend: 'Give one of the two another id.',
        story: story.id,
      });
    }
  }
  return problems;
}

function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}
