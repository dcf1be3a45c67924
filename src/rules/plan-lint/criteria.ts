import type { Story } from '../../contracts/model.ts';
import type { PlanRule, Remark, StoryRule } from './api.ts';
import { layersOf } from './layers.ts';
import { overlap, quoted, topicWords } from './words.ts';

/** What plans repeat in every story: it is checked by commands, and says nothing about the story. */
const ROUTINE =
  /^\W*(?:(?:all |the |existing |unit )*(?:type-?checks?|lint(?:ing|er)?|build|tests?|tsc|ci)(?: \S+){0,2} (?:pass(?:es|ed|ing)?|succeeds?|is green|are green|clean)|no (?:type|lint|typescript|build|console)[\w ]* (?:errors?|warnings?)|verif(?:y|ied) in (?:the )?browser\b.*|`[^`]+` (?:passes|succeeds))\W*$/i;

const TEST =
  /\b(?:tests?|tested|testing|specs?|coverage|regression|vitest|jest|pytest|playwright|cypress|e2e|snapshot)\b/i;

/** Below this share of stories that ask for tests it is the plan that does not. */
const HARDLY_ANY = 0.1;

/** Is it one of those that stand in every story, such as "Typecheck passes"? */
export function isRoutine(criterion: string): boolean {
  return ROUTINE.test(criterion);
}

/** Rules about the acceptance criteria of one story. */
export const criteriaRules: readonly StoryRule[] = [{ name: 'criteria/title-again', check: titleAgain }];

/** Stories without any criteria, which the native format refuses anyway. Where most have none it is said once. */
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
  // Beside three others it does no harm.
  if (again === undefined || own.length > 3) return null;
  return {
    severity: own.length === 1 ? 'warning' : 'hint',
    message: `the criterion ${quoted(again)} only repeats the title`,
    suggestion: 'say how somebody sees that it is so: a command and what it prints, a request and its answer',
  };
}

/** Does the plan ask for tests? Where hardly any story does, it is said once and not for each. */
export const testsRule: PlanRule = {
  name: 'criteria/no-tests',
  check: ({ open }) => {
    const judged = open.filter(hasCriteria);
    const untested = judged.filter((story) => !asksForTests(story));
    if (judged.length < 2 || untested.length === 0) return [];
    if (judged.length - untested.length < HARDLY_ANY * judged.length) return [{ story: null, remark: NO_TESTS }];
    // Where the others ask for tests, one that changes what the program does and asks for none is an oversight.
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
