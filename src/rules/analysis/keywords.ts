/**
 * What agents say about the end of their work, in English: tables to extend. Patterns match one sentence as `normal`
 * returns it; `standing-rules.ts` decides whether a phrase is meant. Every gap is bounded, so that matching stays
 * linear in the length of a sentence.
 */

/** What a phrase is evidence of. Phrases of one family are one piece of evidence, however often they occur. */
export type Family = 'everything' | 'whole' | 'nothing-left' | 'no-work' | 'done' | 'ready';

/** What a family adds to the confidence. Two claims about everything make 100; one with all its support does not. */
export const WEIGHTS: Readonly<Record<Family, number>> = {
  everything: 50,
  whole: 50,
  'nothing-left': 50,
  'no-work': 20,
  done: 15,
  ready: 10,
};

export const STRONG: ReadonlySet<Family> = new Set(['everything', 'whole', 'nothing-left']);

/** Families whose phrases are words of completion; the others only support them. */
export const COMPLETION: ReadonlySet<Family> = new Set([...STRONG, 'done']);

export interface Keyword {
  readonly family: Family;
  readonly pattern: RegExp;
}

const FINISHED =
  '(?:done|completed?|finished|implemented|closed|delivered|fulfilled|met|satisfied|accomplished|resolved|shipped|built|' +
  'in place|wrapped up|worked through|carried out|(?:checked|ticked) off|marked (?:as )?(?:done|completed?|finished))';
const HAVE_FINISHED =
  '(?:completed?|finished|implemented|delivered|resolved|closed|addressed|done with|through with|worked through)';
const ADVERBS =
  '(?: (?:all|now|both|also|been|fully|already|finally|entirely|completely|successfully|officially|indeed|thus|therefore|' +
  '100%|truly|actually)){0,4}';
const IS_FINISHED = ` (?:is|are|was|were|has|have|'s|stands?)${ADVERBS} ${FINISHED}\\b`;
const LEFT = '(?:remain|remains|remaining|left|open|pending|outstanding|to do)';
const UNFINISHED = '(?:more|other|further|open|pending|outstanding|remaining|unfinished|incomplete)';
/** Start and end of a clause: the text between them is all it says. */
const START = '(?:^|[:;,—–-] |[✅🎉🚀🏁🎊🥳✓✔]\\ufe0f? )';
const END =
  '(?= ?(?:$|[.!,;:()✅🎉✓✔—–]|- |and (?:\\w+ )?(?:verified|tested|checked|reviewed|documented|committed|merged|passing|working)\\b))';

const gap = (words: number): string => `(?: [^\\s,;:()]+){0,${words}}?`;

/** Units of work a plan consists of. */
const WORK =
  '(?:(?:user |sub-?)?(?:tasks?|stor(?:y|ies))|(?:work |todo |to-do |action |plan |checklist |backlog )?items?|' +
  'requirements?|features?|steps?|phases?|milestones?|to-?dos?|tickets?|goals?|objectives?|deliverables?|' +
  '(?:acceptance )?criteria|work|functionality)';
/** Units that make up a backlog: a story has its own tasks, steps and criteria. */
const STORIES = '(?:(?:user )?stor(?:y|ies)|backlog items?)';
const PROJECT = '(?:project|product|app|application|backlog|assignment|(?:to-?do|task) list|checklist)';
const DOCUMENT = '(?:plan|prd|spec|specification|roadmap|design|requirements document)';
const TASK = '(?:task|story|work|job|implementation|feature)';

const EMPTY_BACKLOG = '\\b(?:backlog|(?:to-?do|task) list) is (?:now )?empty\\b';

const phrase = (family: Family, source: string): Keyword => ({ family, pattern: new RegExp(source, 'u') });
const phrases = (family: Family, sources: readonly string[]) => sources.map((source) => phrase(family, source));

function claimsAbout(units: string): readonly Keyword[] {
  const all =
    '(?:all|every|each)(?: (?:single )?(?:one )?of)?(?: (?:the|my|our|your|these|those))?' +
    `(?: (?:\\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))?${gap(3)} ${units}`;
  return [
    // All of the 7 tasks in the plan are now done
    phrase('everything', `\\b${all}${gap(7)}${IS_FINISHED}`),
    // All tasks complete
    phrase('everything', `${START}(?:and )?${all}${ADVERBS} ${FINISHED}(?: successfully)?${END}`),
    // I have completed all tasks
    phrase('everything', `\\b${HAVE_FINISHED}${ADVERBS} ${all}\\b`),
    // 7 of 7 tasks are done; tasks completed: 7/7
    phrase('everything', `\\b(\\d{1,4}) ?(?:\\/|of|out of) ?(?:the )?\\1${gap(1)} ${units}${gap(1)} ${FINISHED}\\b`),
    phrase('everything', `\\b${units}(?: (?:done|completed?|finished|progress))?: ?(\\d{1,4}) ?(?:\\/|of) ?\\1\\b`),
    // No open tasks; no tasks remain
    phrase('nothing-left', `\\b(?:no|zero|0) ${UNFINISHED} ${units}\\b`),
    phrase(
      'nothing-left',
      `\\b(?:no|zero|0)(?: ${UNFINISHED}){0,2} ${units}(?: (?:that )?(?:are|is|were))? ${LEFT}\\b`,
    ),
    // That was the last task; the last open task is done
    phrase('nothing-left', `\\b(?:that|this|it) (?:is|was) the (?:last|final) (?:${UNFINISHED} )?${units}${END}`),
    phrase('nothing-left', `\\bthe (?:final|last (?:remaining|open|pending)|only remaining) ${units}${IS_FINISHED}`),
  ];
}

/** What agents that work on one story say only when they mean the whole backlog. */
export const BACKLOG_CLAIMS: readonly Keyword[] = [
  ...claimsAbout(STORIES),
  phrase('whole', `\\b(?:the|this|our|your) (?:(?:whole|entire) )?(?:project|backlog|prd)${IS_FINISHED}`),
  phrase('nothing-left', EMPTY_BACKLOG),
];

export const COMPLETION_KEYWORDS: readonly Keyword[] = [
  ...claimsAbout(WORK),
  ...phrases('everything', [
    // Everything in the plan is done; everything done; I finished everything
    `\\beverything${gap(8)}${IS_FINISHED.replace(' ', ' ?')}`,
    `${START}everything${ADVERBS} ${FINISHED}${END}`,
    `\\b${HAVE_FINISHED} everything\\b`,
  ]),
  ...phrases('whole', [
    // The project is complete; project complete; I finished the project
    `\\b(?:the|this|our|your|whole|entire|overall) ${PROJECT}${gap(2)}${IS_FINISHED}`,
    `${START}(?:the )?${PROJECT} (?:fully )?(?:done|completed?|finished)${END}`,
    `\\b(?:completed|finished) the ${PROJECT}\\b`,
    // The work you asked for is done; your request is fulfilled; this completes everything
    `\\b(?:the|all) \\w+ (?:that )?you (?:asked for|requested|wanted)${gap(2)}${IS_FINISHED}`,
    `\\b(?:the|your|this)(?: \\w+'s)? (?:request|requested \\w+)${IS_FINISHED}`,
    `\\b(?:this|that) completes (?:everything|all|the (?:whole |entire )?${PROJECT})\\b`,
    // The whole importer is done; I implemented the entire plan
    `\\b(?:whole|entire)${gap(3)}${IS_FINISHED}`,
    `\\b(?:completed|finished|implemented|delivered) the (?:whole|entire|full) \\w+`,
    // The plan has been carried out: a finished plan may be just a plan
    `\\b${DOCUMENT} (?:is|has)${ADVERBS} (?:implemented|executed|carried out|worked through)\\b`,
    '\\b100 ?% (?:done|complete|finished|implemented)\\b',
  ]),
  ...phrases('nothing-left', [
    // Nothing else is left; nothing more to do; no work remains
    `\\b(?:nothing|no work)(?: (?:else|more|further))?(?: (?:is|was|that is))? ${LEFT}\\b`,
    EMPTY_BACKLOG,
    '\\b(?:nothing|no work) remains to be done\\b',
    "\\b(?:don't|do not|can't|cannot|could not|couldn't) (?:see|find|think of) anything (?:else |more )?" +
      '(?:(?:that is )?(?:left|missing)|to (?:do|implement|add|build))\\b',
    '\\b(?:nothing|no) (?:else|more|further|left)(?: work)?(?: for me)? (?:to|that needs to)(?: be)? ' +
      '(?:do|done|implement(?:ed)?|build|built|add|added|completed?|finish(?:ed)?)\\b',
  ]),
  ...phrases('done', [
    // Done!
    "^(?:(?:ok|okay|great|so|and|yes|alright)[,!.]? )?(?:all |we're |i'm |i am |we are |it's )?(?:all )?" +
      '(?:done|finished|completed?|all set)(?: here| now| with (?:that|this|it))?[ .!✅🎉✓✔]*$',
    // The task is complete; task completed; I'm finished; I have completed the task
    `\\b${TASK} (?:(?:is|was|has)${ADVERBS} )?(?:done|completed?|finished|accomplished)\\b`,
    `\\b(?:i|we)(?:'m| am| are|'re)${ADVERBS} (?:done|finished)\\b`,
    `\\b(?:i|we)(?:'ve| have)?${ADVERBS} (?:completed|finished) (?:the|this|my|our) ${TASK}\\b`,
    '\\bmission accomplished\\b',
  ]),
  ...phrases('no-work', [
    // Nothing to do; no changes are needed; already implemented
    '\\bnothing to (?:do|implement|change|add|build)\\b',
    '\\bno (?:code |further |more |other )?(?:changes?|work|action|edits?|modifications?) ' +
      '(?:(?:is|are|was|were) )?(?:needed|required|necessary|made|to (?:make|do))\\b',
    '\\bmade no (?:changes|edits)\\b',
    '\\balready (?:been )?(?:fully )?(?:implemented|done|completed?|finished|in place|satisfied|met)\\b',
  ]),
  ...phrases('ready', [
    // Ready for release
    '\\bready (?:for|to be)(?: the)? (?:released?|production|deploy(?:ed|ment)|delivery|shipp(?:ed|ing)|launch)\\b',
    '\\bready to (?:ship|deploy|release|launch)\\b|\\b(?:production|feature)[- ](?:ready|complete)\\b',
  ]),
];
