import type { Story } from '../../contracts/index.ts';
import { type Finding, hint, perStory, type Rule, warning } from './api.ts';
import { layersOf, overlap, quoted, topicWords, VERB, wordCount } from './words.ts';

/** Criteria that plans repeat in every story: commands check them, and they say nothing about the story. */
const ROUTINE =
  /^\W*(?:(?:all |the |existing |unit )*(?:type-?checks?|lint(?:ing|er)?|build|tests?|tsc|ci)(?: \S+){0,2} (?:pass(?:es|ed|ing)?|succeeds?|is green|are green|clean)|no (?:type|lint|typescript|build|console)[\w ]* (?:errors?|warnings?)|verif(?:y|ied) in (?:the )?browser\b.*|`[^`]+` (?:passes|succeeds))\W*$/i;

const TEST =
  /\b(?:tests?|tested|testing|specs?|coverage|regression|vitest|jest|pytest|playwright|cypress|e2e|snapshot)\b/i;

/** If a smaller share of stories asks for tests, the plan as a whole does not. */
const HARDLY_ANY = 0.1;

/** Whether it is one of the criteria repeated in every story, such as "Typecheck passes". */
function isRoutine(criterion: string): boolean {
  return ROUTINE.test(criterion);
}

/** Stories without criteria, which the native format refuses anyway. One remark if most have none. */
export const noCriteriaRule: Rule = {
  name: 'criteria/none',
  check: ({ backlog, open }) => {
    const bare = backlog.format === 'tasks-json' ? [] : open.filter((story) => !hasCriteria(story));
    if (bare.length === 0) return [];
    if (bare.length * 2 > open.length) {
      const message = `${bare.length} of ${open.length} open stories have no acceptance criteria: a review has only their titles to judge by`;
      const suggestion = 'write acceptance criteria, at least for the larger ones; `ralph plan` helps';
      return [hint(null, message, suggestion)];
    }
    const message = 'has no acceptance criteria: what "done" means is left to the agent';
    return bare.map((story) => warning(story, message, 'write one to five sentences that a reviewer can check'));
  },
};

function titleAgain(story: Story): Finding | null {
  const topic = topicWords(story.title);
  const own = story.acceptanceCriteria.filter((criterion) => !isRoutine(criterion));
  const again = own.find((criterion) => overlap(topicWords(criterion), topic) >= 0.8);
  // Next to three other criteria it does no harm.
  if (again === undefined || own.length > 3) return null;
  const remark = own.length === 1 ? warning : hint;
  const suggestion = 'say how to check it: a command and what it prints, a request and its answer';
  return remark(story, `the criterion ${quoted(again)} only repeats the title`, suggestion);
}

/** Whether stories ask for tests. If hardly any does, there is one remark and not one per story. */
export const testsRule: Rule = {
  name: 'criteria/no-tests',
  check: ({ open }) => {
    const judged = open.filter(hasCriteria);
    const untested = judged.filter((story) => !asksForTests(story));
    if (judged.length < 2 || untested.length === 0) return [];
    if (judged.length - untested.length < HARDLY_ANY * judged.length) {
      const message = 'no criterion asks for a test: nothing would notice when a later story breaks an earlier one';
      const suggestion =
        'give every story that changes what the program does a criterion such as "a test covers the empty list"';
      return [hint(null, message, suggestion)];
    }
    // If the others ask for tests, a story that changes the program without asking for any is an oversight.
    if (untested.length * 2 > judged.length) return [];
    const message = 'no criterion asks for a test, though those of most other stories do';
    const suggestion = 'say what the test has to cover, e.g. "a test covers a wrong password"';
    return untested.filter(changesBehaviour).map((story) => hint(story, message, suggestion));
  },
};

function hasCriteria({ acceptanceCriteria }: Story): boolean {
  return acceptanceCriteria.some((criterion) => criterion.trim() !== '');
}

function asksForTests({ title, description, acceptanceCriteria, verifyCommands }: Story): boolean {
  return verifyCommands !== undefined || [title, description, ...acceptanceCriteria].some((text) => TEST.test(text));
}

function changesBehaviour({ title, acceptanceCriteria }: Story): boolean {
  return layersOf([title, ...acceptanceCriteria]).some(({ name }) => name === 'backend' || name === 'API');
}

/** Words that can be read in two ways, and what to write instead. */
interface Vague {
  readonly told: RegExp;
  readonly suggestion: string;
}

const VAGUE: readonly Vague[] = [
  {
    told: /\b(?:works?|working|functions?|behaves?|operates?|renders?|displays?|displayed)\s+(?:correctly|properly|as (?:expected|intended|designed|it should)|well|fine|seamlessly|smoothly|flawlessly|perfectly)\b/i,
    suggestion: 'say what goes in and what comes out, e.g. "an empty cart shows the text Nothing here yet"',
  },
  {
    told: /^\W*(?:it|this|everything|(?:the )?\S+(?: \S+)?)\s+(?:just )?works?\W*$/i,
    suggestion: 'say what the user does and what they see then',
  },
  {
    told: /\b(?:proper(?:ly)?|appropriate(?:ly)?|good|correct|graceful(?:ly)?|adequate|robust|comprehensive)\s+(?:error[- ]handling|error messages?|validation|logging|handling)\b|\b(?:errors?|failures?|edge cases?|exceptions?)\s+(?:is |are |get |must be |should be )?(?:handled|caught|dealt with)(?:\s+(?:gracefully|properly|correctly|appropriately|well))?\W*$|\bhandles?\s+(?:all\s+)?(?:errors?|edge cases?|failures?)(?:\s+(?:gracefully|properly|correctly|appropriately|well))?\W*$/i,
    suggestion: 'name each error and what happens then, e.g. "an unknown id answers 404 with a message"',
  },
  {
    told: /\b(?:is|are|be|feels?|loads?|runs?|responds?|renders?)\s+(?:\w+ly\s+)?(?:fast|quick(?:ly)?|performant|snappy|efficient(?:ly)?|responsive enough|optimi[sz]ed|scalable)\b|\b(?:good|acceptable|reasonable|great|high) performance\b/i,
    suggestion: 'give a number and how it is measured, e.g. "1,000 rows are listed in less than 200 ms"',
  },
  {
    told: /\b(?:user[- ]friendly|intuitive|easy to (?:use|understand|read|maintain)|looks? (?:good|nice|great|professional|modern|clean)|visually appealing|beautiful|polished|aesthetic(?:ally)?|good ux|delightful)\b/i,
    suggestion:
      'say what is seen or can be done, e.g. "the form is sent with Enter, and errors appear below their field"',
  },
  {
    told: /\b(?:high[- ]quality code|best practices|production[- ](?:ready|grade|quality)|clean code|well[- ](?:structured|designed|written|organi[sz]ed|tested|documented)|maintainable|robust|bug[- ]free|no bugs|state[- ]of[- ]the[- ]art)\b/i,
    suggestion: 'name the rule that a tool or a reader can check, e.g. "eslint reports nothing"',
  },
  {
    told: /\b(?:if (?:needed|necessary|required|possible|applicable|time permits)|as (?:needed|necessary|appropriate|required)|where (?:appropriate|necessary|applicable|needed|possible)|tbd|to be (?:decided|determined|defined)|or similar)\b/i,
    suggestion: 'decide it now, or ask it under "Open questions" in prd.md',
  },
  {
    told: /(?:\betc\b\.?|\band so (?:on|forth)\b|\band (?:more|others)\b)\W*$/i,
    suggestion: 'list them all: what is not named is not built, or guessed',
  },
];

/** Concrete content: a number, code, a quotation, an example, an arrow. */
const CONCRETE = /\d|[`"“”→:(]|=>|(?:^|\s)'[^']+'|(?:^|\s)\/\w|--\w|\be\.g\./;

/** A criterion that cannot be answered with yes or no. */
function vagueCriterion(story: Story): Finding | null {
  const found = story.acceptanceCriteria.flatMap((criterion) => {
    if (isRoutine(criterion) || CONCRETE.test(criterion)) return [];
    return VAGUE.flatMap(({ told, suggestion }) => {
      const words = told.exec(criterion)?.[0].replace(/^\W+|\W+$/g, '');
      return words ? [{ criterion, words, suggestion }] : [];
    }).slice(0, 1);
  });
  const [first, ...others] = found;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const message = `"${first.words}" cannot be answered with yes or no: ${quoted(first.criterion)}${more}`;
  return warning(story, message, first.suggestion);
}

/** A story should fit one iteration, and a few sentences. */
const MOST_WORDS = 150;
const MOST_CRITERIA = 7;
/** Too many under any definition of a criterion. */
const FAR_TOO_MANY = 12;

/** "Create the table and add the form"; tests and documents belong to their subject and do not count. */
const TWO_TASKS = new RegExp(
  `^\\W*${VERB}\\b\\s+(?!and\\b|or\\b).+?(?:\\band\\b|\\bplus\\b|[;+&])\\s+(?:then\\s+)?(${VERB})\\s+(?!.{0,30}\\b(?:tests?|docs?|documentation|readme|changelog)\\b)\\S+`,
  'i',
);

/** "the whole application", "all pages": too much for one iteration to read. */
const EVERYTHING =
  /\b(?:(?:the\s+)?(?:entire|whole)\s+(?:app|application|system|site|website|codebase|code base|platform|product|project|backend|frontend|front end|ui|dashboard|flow)|all\s+(?:the\s+)?(?:pages|screens|endpoints|routes|components|modules|features|services|views|tables)|everything)\b/i;

function longDescription(story: Story): Finding | null {
  const words = wordCount(story.description);
  if (words <= MOST_WORDS) return null;
  const message = `the description has ${words} words: more than one iteration, or more than a story has to say`;
  const remark = words > 2 * MOST_WORDS ? warning : hint;
  return remark(story, message, 'split the story; what several stories need belongs in prd.md');
}

function manyCriteria(story: Story): Finding | null {
  const count = story.acceptanceCriteria.filter((criterion) => !isRoutine(criterion)).length;
  if (count <= MOST_CRITERIA) return null;
  const suggestion = 'split the story where the criteria form groups, the later part depending on the first';
  const remark = count > FAR_TOO_MANY ? warning : hint;
  return remark(story, `${count} acceptance criteria: more than one iteration can do well`, suggestion);
}

function twoTasks(story: Story): Finding | null {
  if (!TWO_TASKS.test(story.title)) return null;
  const message = `the title names two tasks: ${quoted(story.title)}`;
  return hint(story, message, 'make it two stories, the second depending on the first');
}

function everything(story: Story): Finding | null {
  const found = EVERYTHING.exec(story.title)?.[0];
  if (found === undefined) return null;
  return hint(story, `"${found}" is more than one iteration can cover`, 'write one story for each part');
}

function manyLayers(story: Story): Finding | null {
  const names = layersOf(story.acceptanceCriteria).map(({ name }) => name);
  if (!names.includes('schema') || !names.includes('API') || !names.includes('front end')) return null;
  const message = `the criteria reach through several layers: ${names.join(', ')}`;
  const suggestion = 'one story per layer (schema, backend, API, front end), each depending on the one before';
  return hint(story, message, suggestion);
}

/** Rules about one story: too much for one iteration, and its criteria. */
export const storyRules: readonly Rule[] = [
  perStory('size/description', longDescription),
  perStory('size/criteria', manyCriteria),
  perStory('size/two-tasks', twoTasks),
  perStory('size/everything', everything),
  perStory('size/layers', manyLayers),
  perStory('criteria/title-again', titleAgain),
  perStory('criteria/vague', vagueCriterion),
];
