import { useState } from 'preact/hooks';
import { breakable, plainText, shortened, split } from './plain.ts';

/** Characters drawn even when the whole text was requested: more would freeze the page. */
const MOST = 200_000;

interface LongTextProps {
  readonly text: string;
  /** Lines shown until the whole text is requested. */
  readonly lines: number;
  /** Words to highlight. */
  readonly find?: string;
  /** In a monospaced typeface: program output. */
  readonly mono?: boolean;
  /** Shown whole from the start: the reader was brought here. */
  readonly open?: boolean;
}

/** Unprocessed text, folded when it is long. */
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
      {all && text.length > MOST && <p class="dim">Cut after {MOST} characters; the log has the rest.</p>}
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

/** Text with the searched words highlighted. */
export function Marked({ text, find }: { readonly text: string; readonly find: string }) {
  if (find === '') return <>{text}</>;
  // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity than its place.
  return <>{split(text, find).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}
