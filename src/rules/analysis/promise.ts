import { HEADING, ITEM } from './blocks.ts';
import { isAboutSaying, isMention, takesBack } from './mention.ts';
import { prose } from './prose.ts';
import { type Line, normal, split, wholeLines } from './sentences.ts';

/** Stands for the promise tag while the rest of the text is read: a code point that no text has a use for. */
const TAG = '\uE000';

/** What may stand around a tag that is alone on its line: emphasis, the mark of a heading, full stops, pictures. */
const DECORATION = String.raw`[\s*_#.!:\p{Extended_Pictographic}\uFE0F\u200D✓]*`;
const ALONE = new RegExp(`^${DECORATION}${TAG}${DECORATION}$`, 'u');
/** A tag at the end of a line, after a sentence that has ended. */
const OWN_SENTENCE = new RegExp(
  String.raw`^(.*(?:[.!…]|\p{Extended_Pictographic})[*_\uFE0F]* [*_]*)${TAG}[*_.!]*$`,
  'u',
);
/** A tag after a colon, and what stands before it. */
const AFTER_COLON = new RegExp(String.raw`^(.*[^:\s]):[*_]* [*_]*${TAG}[*_.!]*$`, 'u');
/** What may stand before that colon: that something is finished, or that the signal comes now. */
const SAYS_SO =
  /(?:\b(?:is|are|been|everything|work|tests?|checks?|stories|tasks) (?:now |all |fully )?(?:done|completed?|finished|implemented|closed|met|satisfied|passing|green)|\b(?:tests?|checks?|stories|tasks|all) (?:now )?pass|^(?:my |the )?(?:final|completion|exit|closing) (?:signal|answer|promise|status|word))$/;
const DEFINES = /\b(?:conditions?|criteri(?:a|on)|signals? for|reserved)\b/;
/** Pictures that say no. */
const REFUSING = /[❌❎🚫⛔✖✗✘]/u;
/** A remark on the line before. */
const POINTS_BACK = /^[←↑^]/;

/**
 * Whether a text really says `<promise>…</promise>` with the wanted words, which are compared literally but for the
 * space around them. It counts where it stands alone on its line, or ends the text as a sentence of its own
 * or after one that says that something is finished. Inside a
 * sentence, code or a quotation it is a mention; so it is when the sentence that leads to it puts it off, denies it,
 * makes a condition or speaks about the tag, and when a sentence after it takes it back. Linear in the length.
 */
export function promisesCompletion(text: string, promise: string): boolean {
  const tagged = withTag(text, promise.trim());
  if (!tagged.includes(TAG)) return false;
  const lines = wholeLines(prose(tagged));
  const takenBack = lines.findLastIndex((line) => split(line.text).some(takesBack));
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

/** An item that is no choice of several, and that nothing leads to. */
function isOnlyItem(lines: readonly Line[], at: number): boolean {
  const isAlone = lines.every(({ text }, i) => i === at || !ITEM.test(text));
  const before = lines[at - 1]?.text ?? '.';
  return isAlone && at === lines.length - 1 && /^[-*+] /.test(lines[at]?.text ?? '') && /[.!…][*_)]*$/.test(before);
}

/** `All stories are done:` and the tag. */
function concludes(line: string): boolean {
  const head = AFTER_COLON.exec(line)?.[1];
  if (head === undefined || head.includes(TAG)) return false;
  const last = split(head).at(-1) ?? '';
  return SAYS_SO.test(normal(last)) && !DEFINES.test(normal(last)) && !isMention(last);
}

/** The text with every tag of the wanted words as one character. */
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

/** Does the line before a tag that stands alone make a mention of it? */
function leadsToMention(before: Line | undefined, apart: boolean): boolean {
  if (before === undefined) return false;
  const last = split(before.text).at(-1) ?? '';
  const leadsOn =
    /[:,–—-][*_]*$/.test(last) ||
    HEADING.test(before.text) ||
    (!apart && !/[.!?…][*_)]*$/.test(last) && !ITEM.test(before.text));
  // A sentence that has ended leads to the tag only when it announces that something will be said.
  return (leadsOn || isAboutSaying(last)) && isMention(last);
}
