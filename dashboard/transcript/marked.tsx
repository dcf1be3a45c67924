/** So many marks at most: each is an element. */
const MOST = 200;

/** Text in which the words looked for stand out. */
export function Marked({ text, find }: { readonly text: string; readonly find: string }) {
  if (find === '') return <>{text}</>;
  // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity than its place.
  return <>{split(text, find).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

/** The text cut at what is looked for, in any case: every second part is a hit. */
export function split(text: string, find: string): readonly string[] {
  const lower = text.toLowerCase();
  const wanted = find.toLowerCase();
  // Some letters change their length with their case: places in one are then none in the other.
  if (lower.length !== text.length || wanted === '') return [text];
  const parts: string[] = [];
  let done = 0;
  while (parts.length < 2 * MOST) {
    const at = lower.indexOf(wanted, done);
    if (at === -1) break;
    parts.push(text.slice(done, at), text.slice(at, at + wanted.length));
    done = at + wanted.length;
  }
  return [...parts, text.slice(done)];
}
