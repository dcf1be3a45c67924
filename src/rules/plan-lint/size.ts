import type { Story } from '../../contracts/model.ts';
import type { Remark, StoryRule } from './api.ts';
import { isRoutine } from './criteria.ts';
import { layersOf } from './layers.ts';
import { quoted, VERB, wordCount } from './words.ts';

/** A story fits one iteration, and two or three sentences. */
const MOST_WORDS = 150;
const MOST_CRITERIA = 7;
/** Beyond any doubt about what counts as a criterion. */
const FAR_TOO_MANY = 12;

/** "Create the table and add the form"; tests and documents belong to what they are about. */
const TWO_TASKS = new RegExp(
  `^\\W*${VERB}\\b\\s+(?!and\\b|or\\b).+?(?:\\band\\b|\\bplus\\b|[;+&])\\s+(?:then\\s+)?(${VERB})\\s+(?!.{0,30}\\b(?:tests?|docs?|documentation|readme|changelog)\\b)\\S+`,
  'i',
);

/** "the whole application", "all pages": more than one iteration can read. */
const EVERYTHING =
  /\b(?:(?:the\s+)?(?:entire|whole)\s+(?:app|application|system|site|website|codebase|code base|platform|product|project|backend|frontend|front end|ui|dashboard|flow)|all\s+(?:the\s+)?(?:pages|screens|endpoints|routes|components|modules|features|services|views|tables)|everything)\b/i;

/** Rules about stories that are too much for one iteration. */
export const sizeRules: readonly StoryRule[] = [
  { name: 'size/description', check: ({ description }) => longDescription(description) },
  { name: 'size/criteria', check: manyCriteria },
  { name: 'size/two-tasks', check: ({ title }) => (TWO_TASKS.test(title) ? twoTasks(title) : null) },
  { name: 'size/everything', check: ({ title }) => everything(title) },
  { name: 'size/layers', check: manyLayers },
];

function longDescription(description: string): Remark | null {
  const words = wordCount(description);
  if (words <= MOST_WORDS) return null;
  return {
    severity: words > 2 * MOST_WORDS ? 'warning' : 'hint',
    message: `the description has ${words} words: more than one iteration, or more than a story has to say`,
    suggestion: 'split the story; what several stories need belongs into prd.md',
  };
}

function manyCriteria({ acceptanceCriteria }: Story): Remark | null {
  const count = acceptanceCriteria.filter((criterion) => !isRoutine(criterion)).length;
  if (count <= MOST_CRITERIA) return null;
  return {
    severity: count > FAR_TOO_MANY ? 'warning' : 'hint',
    message: `${count} acceptance criteria: more than one iteration does well`,
    suggestion: 'split the story where the criteria fall apart into groups, the later part depending on the first',
  };
}

function twoTasks(title: string): Remark {
  return {
    severity: 'hint',
    message: `the title names two tasks: ${quoted(title)}`,
    suggestion: 'make it two stories, the second depending on the first',
  };
}

function everything(title: string): Remark | null {
  const found = EVERYTHING.exec(title)?.[0];
  if (found === undefined) return null;
  return {
    severity: 'hint',
    message: `"${found}" is more than one iteration can see to`,
    suggestion: 'one story for each part, named one by one',
  };
}

function manyLayers({ acceptanceCriteria }: Story): Remark | null {
  const layers = layersOf(acceptanceCriteria);
  const isMixed = ['schema', 'API', 'front end'].every((layer) => layers.some(({ name }) => name === layer));
  if (!isMixed) return null;
  return {
    severity: 'hint',
    message: `the criteria reach through several layers: ${layers.map(({ name }) => name).join(', ')}`,
    suggestion: 'one story per layer (schema, backend, API, front end), each depending on the one before',
  };
}
