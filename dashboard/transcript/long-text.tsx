import { useState } from 'preact/hooks';
import { Marked } from './marked.tsx';
import { breakable, plainText, shortened } from './plain.ts';

/** So many characters are drawn even when all was asked for: more of them would freeze the page. */
const MOST = 200_000;

export interface LongTextProps {
  readonly text: string;
  /** Lines that are shown until somebody asks for all. */
  readonly lines: number;
  /** Words that stand out. */
  readonly find?: string;
  /** In the typeface of code: what programs print. */
  readonly mono?: boolean;
  /** Shown whole from the start: the reader was brought here. */
  readonly open?: boolean;
}

/** Text as it came, folded when it is long. */
export function LongText({ text, lines, find = '', mono = false, open = false }: LongTextProps) {
  const [asked, setAsked] = useState<boolean | null>(null);
  const all = asked ?? open;
  const short = shortened(text, lines);
  const shown = all ? breakable(plainText(text.slice(0, MOST))) : short.text;
  return (
    <>
      {shown !== '' && (
        <p class={mono ? 'said mono' : 'said'}>
          <Marked text={shown} find={find} />
        </p>
      )}
      {all && text.length > MOST && <p class="dim">The log has the rest: here it ends after {MOST} characters.</p>}
      {short.cut && (
        <button type="button" class="fold" aria-expanded={all} onClick={() => setAsked(!all)}>
          {all ? 'Show less' : `Show all (${size(text.length)})`}
        </button>
      )}
    </>
  );
}

function size(characters: number): string {
  if (characters < 10_000) return `${characters} characters`;
  return characters < 1_000_000
    ? `${Math.round(characters / 1000)} k characters`
    : `${(characters / 1e6).toFixed(1)} M characters`;
}
