import type { Story } from '../../contracts/model.ts';
import type { Remark, StoryRule } from './api.ts';
import { isRoutine } from './criteria.ts';
import { quoted } from './words.ts';

/** Words that two people can read in two ways, and what to write instead. */
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

/** Something to hold on to: a number, code, a quotation, an example, an arrow. */
const CONCRETE = /\d|[`"“”→:(]|=>|(?:^|\s)'[^']+'|(?:^|\s)\/\w|--\w|\be\.g\./;

/** A criterion that nobody can say yes or no to. */
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

/** The words that make a criterion vague, and what to write instead. */
function vagueIn(criterion: string): { readonly words: string; readonly suggestion: string } | null {
  for (const { told, suggestion } of VAGUE) {
    const words = told.exec(criterion)?.[0].replace(/^\W+|\W+$/g, '');
    if (words) return { words, suggestion };
  }
  return null;
}
