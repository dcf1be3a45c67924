import { HEADING, ITEM } from './markdown.ts';
import { prose } from './prose.ts';
import { anyOf, type Line, normal, split, wholeLines, words } from './sentences.ts';

/** Replaces the promise tag while the rest of the text is read: a private code point that no text uses. */
const TAG = '\uE000';

/** What may surround a tag that is alone on its line: emphasis, a heading mark, full stops, emoji. */
const DECORATION = String.raw`[\s*_#.!:\p{Extended_Pictographic}\uFE0F\u200D✓]*`;
const ALONE = new RegExp(`^${DECORATION}${TAG}${DECORATION}$`, 'u');
/** A tag at the end of a line, after a complete sentence. */
const OWN_SENTENCE = new RegExp(
  String.raw`^(.*(?:[.!…]|\p{Extended_Pictographic})[*_\uFE0F]* [*_]*)${TAG}[*_.!]*$`,
  'u',
);
/** A tag after a colon, and the text before it. */
const AFTER_COLON = new RegExp(String.raw`^(.*[^:\s]):[*_]* [*_]*${TAG}[*_.!]*$`, 'u');
/** What that text may say: that something is finished, or that the signal comes now. */
const SAYS_SO =
  /(?:\b(?:is|are|been|everything|work|tests?|checks?|stories|tasks) (?:now |all |fully )?(?:done|completed?|finished|implemented|closed|met|satisfied|passing|green)|\b(?:tests?|checks?|stories|tasks|all) (?:now )?pass|^(?:my |the )?(?:final|completion|exit|closing) (?:signal|answer|promise|status|word))$/;
const DEFINES = /\b(?:conditions?|criteri(?:a|on)|signals? for|reserved)\b/;
const REFUSING = /[❌❎🚫⛔✖✗✘]/u;
/** A remark about the line before. */
const POINTS_BACK = /^[←↑^]/;

/**
 * Whether a text really says `<promise>…</promise>` with the wanted words, compared literally except for surrounding
 * space. The tag counts when it is alone on its line, or ends the text as its own sentence or after one that says that
 * something is finished. Inside a sentence, code or a quotation it is a mention; also when the sentence before it
 * postpones it, denies it, sets a condition or is about the tag, and when a sentence after it withdraws it. Linear in
 * the length.
 */
export function promisesCompletion(text: string, promise: string): boolean {
  const tagged = withTag(text, promise.trim());
  if (!tagged.includes(TAG)) return false;
  const lines = wholeLines(prose(tagged));
  const takenBack = lines.findLastIndex((line) => split(line.text).some((each) => TAKES_BACK.test(normal(each))));
  return lines.some((line, i) => {
    if (i < takenBack || !line.text.includes(TAG) || REFUSING.test(line.text)) return false;
    if (ALONE.test(line.text.replace(ITEM, '')) && (!ITEM.test(line.text) || isOnlyItem(lines, i))) {
      return !leadsToMention(lines[i - 1], line.startsParagraph) && !POINTS_BACK.test(lines[i + 1]?.text ?? '');
    }
    if (i === lines.length - 1 && !ITEM.test(line.text) && concludes(line.text)) return true;
    const head = i === lines.length - 1 ? OWN_SENTENCE.exec(line.text.replace(ITEM, ''))?.[1] : undefined;
    return head !== undefined && !head.includes(TAG) && !isMention(split(head).at(-1) ?? '');
  });
}

/** An item that is not one of several choices, with no line leading to it. */
function isOnlyItem(lines: readonly Line[], at: number): boolean {
  const isAlone = lines.every(({ text }, i) => i === at || !ITEM.test(text));
  const before = lines[at - 1]?.text ?? '.';
  return isAlone && at === lines.length - 1 && /^[-*+] /.test(lines[at]?.text ?? '') && /[.!…][*_)]*$/.test(before);
}

/** `All stories are done:` followed by the tag. */
function concludes(line: string): boolean {
  const head = AFTER_COLON.exec(line)?.[1];
  if (head === undefined || head.includes(TAG)) return false;
  const last = split(head).at(-1) ?? '';
  return SAYS_SO.test(normal(last)) && !DEFINES.test(normal(last)) && !isMention(last);
}

/** The text with each tag that holds the wanted words replaced by one character. */
function withTag(text: string, wanted: string): string {
  const [before = '', ...afterOpening] = text.replaceAll(TAG, '').split('<promise>');
  const pieces = afterOpening.map((piece) => {
    const said = piece.trimStart();
    const rest = said.slice(wanted.length).trimStart();
    const isWanted = wanted !== '' && said.startsWith(wanted) && rest.startsWith('</promise>');
    return isWanted ? TAG + rest.slice('</promise>'.length) : `<promise>${piece}`;
  });
  return before + pieces.join('');
}

/** Whether the line before a tag that is alone on its line makes it a mention. */
function leadsToMention(before: Line | undefined, apart: boolean): boolean {
  if (before === undefined) return false;
  const last = split(before.text).at(-1) ?? '';
  const leadsOn =
    /[:,–—-][*_]*$/.test(last) ||
    HEADING.test(before.text) ||
    (!apart && !/[.!?…][*_)]*$/.test(last) && !ITEM.test(before.text));
  // A complete sentence leads to the tag only when it announces a statement.
  return (leadsOn || ABOUT_SAYING.test(normal(last))) && isMention(last);
}

/** Whether this sentence makes what follows something that is not said, not said yet, or only talked about. */
function isMention(sentence: string): boolean {
  const text = normal(sentence);
  return NOT_SAID.some((pattern) => pattern.test(text)) || (LATER.test(text) && !NOW.test(text));
}

const NOT_SAID: readonly RegExp[] = [
  // Denied. A bare `no` does not deny, as in `no story is left:`.
  anyOf(
    words("not never cannot refuse without yet premature(?:ly)? false fake isnt dont wont cant havent \\w+n't"),
    'instead of|rather than',
  ),
  // Under a condition.
  anyOf(
    words('if when whenever until unless only provided assuming then later eventually'),
    'once(?! (?:more|again))|(?:before|after)(?! [\\w-]+ing)|as soon as',
  ),
  // Shown, demanded, or another person's words.
  anyOf(
    words(
      'examples? e\\.g format template syntax placeholder sample expect(?:s|ed)? should must supposed possible options? ' +
        'choices? either means? called named reserved unused prevents? contains? says said tells? wants? asks? prompt',
    ),
    '(?<!(?:can|now|to|i) )say|(?<!as )(?:instructed|asked|told|requested|required)|(?:your|the|these) instructions?',
    "(?:this|that|here)(?: is|'s) (?:what|how)",
    'looks? like|such as|for instance|stands for|keeps? me|one of|ends? with (?:this|the (?:line|tag))',
  ),
];

const LATER = anyOf(
  words("will shall would could might may gonna \\w+'(?:ll|d)"),
  'going to|(?:plan|want|need|ha(?:ve|s)) to',
);

/** Words that make a future present: `I will now say:`. */
const NOW = anyOf(words('now therefore hereby since because'));

/** Narrow on purpose: outputs, signals and promises are also parts of programs. */
const ABOUT_SAYING = anyOf(
  '(?:the|this|that) (?:tag|marker)',
  '(?:completion|promise|final|exit|end) (?:tag|promise|marker|signal|token|phrase|line)',
  '(?:repl(?:y|ies)|responds?|answers?|ends?) with',
  "(?:i|will|shall|would|must|should|to|please|then|\\w+'(?:ll|d)) (?:then |simply |just )?(?:output|emit|print|write|say)",
);

/** Revokes an earlier statement. */
const TAKES_BACK = new RegExp(
  [
    '^(?:(?:sorry|oops|hmm|well|no|ok(?:ay)?)[,.:!]? )?(?:',
    [
      '(?:wait|hold on|oops|sorry|hmm|correction|just kidding|never ?mind)\\b',
      '(?:scratch|strike) that\\b',
      'actually,? (?:no|not|wait|that|there|i)\\b',
      'not (?:yet|really)\\b',
      'no, ',
      '(?:please )?(?:ignore|disregard) (?:that|this|the)\\b',
      '(?:that|this|the (?:(?:line|tag|promise) )?above|the (?:above )?(?:tag|promise)) (?:is|was|were) (?:only |just )?' +
        '(?:not|an? (?:example|mention|mistake|template|placeholder|test|quot\\w+)|premature|wrong|meant as|for illustration)',
    ].join('|'),
    ')',
  ].join(''),
);
