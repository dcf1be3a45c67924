import type { Story } from '../../contracts/index.ts';
import type { PlanRule, Remark, StoryRule } from './api.ts';
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

/** Rules about the acceptance criteria of one story. */
export const criteriaRules: readonly StoryRule[] = [{ name: 'criteria/title-again', check: titleAgain }];

/** Stories without criteria, which the native format refuses anyway. One remark if most have none. */
export const noCriteriaRule: PlanRule = {
  name: 'criteria/none',
  check: ({ backlog, open }) => {
    const bare = backlog.format === 'tasks-json' ? [] : open.filter((story) => !hasCriteria(story));
    if (bare.length === 0) return [];
    if (bare.length * 2 > open.length) return [{ story: null, remark: noneOf(bare.length, open.length) }];
    return bare.map((story) => ({ story, remark: NO_CRITERIA }));
  },
};

const NO_CRITERIA: Remark = {
  severity: 'warning',
  message: 'has no acceptance criteria: what "done" means is left to whoever does it',
  suggestion: 'one to five sentences that somebody else can check',
};

function noneOf(bare: number, open: number): Remark {
  return {
    severity: 'hint',
    message: `${bare} of ${open} open stories have no acceptance criteria: a review has only their titles to judge by`,
    suggestion: 'at least for the larger ones, write below the line what somebody can check; `ralph plan` helps',
  };
}

function titleAgain({ title, acceptanceCriteria }: Story): Remark | null {
  const topic = topicWords(title);
  const own = acceptanceCriteria.filter((criterion) => !isRoutine(criterion));
  const again = own.find((criterion) => overlap(topicWords(criterion), topic) >= 0.8);
  // Next to three other criteria it does no harm.
  if (again === undefined || own.length > 3) return null;
  return {
    severity: own.length === 1 ? 'warning' : 'hint',
    message: `the criterion ${quoted(again)} only repeats the title`,
    suggestion: 'say how somebody sees that it is so: a command and what it prints, a request and its answer',
  };
}

/** Whether stories ask for tests. If hardly any does, there is one remark and not one per story. */
export const testsRule: PlanRule = {
  name: 'criteria/no-tests',
  check: ({ open }) => {
    const judged = open.filter(hasCriteria);
    const untested = judged.filter((story) => !asksForTests(story));
    if (judged.length < 2 || untested.length === 0) return [];
    if (judged.length - untested.length < HARDLY_ANY * judged.length) return [{ story: null, remark: NO_TESTS }];
    // If the others ask for tests, a story that changes the program without asking for any is an oversight.
    if (untested.length * 2 > judged.length) return [];
    return untested.filter(changesBehaviour).map((story) => ({ story, remark: NO_TEST }));
  },
};

const NO_TESTS: Remark = {
  severity: 'hint',
  message: 'no criterion asks for a test: nothing would notice when a later story breaks an earlier one',
  suggestion: 'give every story that changes what the program does a criterion such as "a test covers the empty list"',
};

const NO_TEST: Remark = {
  severity: 'hint',
  message: 'no criterion asks for a test, though those of most other stories do',
  suggestion: 'say what the test has to cover, e.g. "a test covers a wrong password"',
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
    suggestion: 'say what somebody does and what they see then',
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
      'say what is seen or can be done, e.g. "the form is sent with Enter, and errors stand below their field"',
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
    suggestion: 'list them all: what is not named is not built, or built by guess',
  },
];

/** Concrete content: a number, code, a quotation, an example, an arrow. */
const CONCRETE = /\d|[`"“”→:(]|=>|(?:^|\s)'[^']+'|(?:^|\s)\/\w|--\w|\be\.g\./;

/** A criterion that cannot be answered with yes or no. */
export const vagueRule: StoryRule = {
  name: 'criteria/vague',
  check: ({ acceptanceCriteria }: Story): Remark | null => {
    const found = acceptanceCriteria.flatMap((criterion) => {
      const vague = isRoutine(criterion) || CONCRETE.test(criterion) ? null : vagueIn(criterion);
      return vague ? [{ criterion, ...vague }] : [];
    });
    const [first, ...others] = found;
    if (first === undefined) return null;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return {
      severity: 'warning',
      message: `nobody can say yes or no to "${first.words}": ${quoted(first.criterion)}${more}`,
      suggestion: first.suggestion,
    };
  },
};

/** The vague words of a criterion, and what to write instead. */
function vagueIn(criterion: string): { readonly words: string; readonly suggestion: string } | null {
  for (const { told, suggestion } of VAGUE) {
    const words = told.exec(criterion)?.[0].replace(/^\W+|\W+$/g, '');
    if (words) return { words, suggestion };
  }
  return null;
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
