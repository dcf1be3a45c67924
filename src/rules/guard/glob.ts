/**
 * Whether a glob (`*`, `?`, `[abc]`, `[!abc]`, `**`) could match a whole name. Builds no regular expression from the
 * glob: a hostile one must not take exponential time. U+FFFD, an unknown part, matches like `*`.
 */
export function couldMatch(glob: string, name: string): boolean {
  if (!/[*?[\uFFFD]/.test(glob)) return glob === name;
  let at = 0;
  let here = 0;
  let star = -1;
  let starName = 0;
  while (here < name.length) {
    const token = tokenAt(glob, at);
    if (token.kind === 'star') {
      star = at = token.end;
      starName = here;
    } else if (token.kind === 'one' && token.accepts(name[here] ?? '')) {
      at = token.end;
      here += 1;
    } else if (star >= 0) {
      at = star;
      starName += 1;
      here = starName;
    } else return false;
  }
  while (tokenAt(glob, at).kind === 'star') at += 1;
  return at >= glob.length;
}

/** A pattern that begins with `*`, `?` or `[` does not match names with a leading dot. */
export function couldMatchName(pattern: string, name: string): boolean {
  return !(name.startsWith('.') && /^[*?[]/.test(pattern)) && couldMatch(pattern, name);
}

type Token =
  | { readonly kind: 'star'; readonly end: number }
  | { readonly kind: 'one'; readonly end: number; readonly accepts: (char: string) => boolean }
  | { readonly kind: 'end' };

function tokenAt(glob: string, at: number): Token {
  const char = glob[at];
  if (char === undefined) return { kind: 'end' };
  if (char === '*' || char === '\uFFFD') return { kind: 'star', end: at + 1 };
  if (char === '?') return { kind: 'one', end: at + 1, accepts: () => true };
  if (char === '[') {
    const close = glob.indexOf(']', at + 2 + (/[!^]/.test(glob[at + 1] ?? '') ? 1 : 0));
    if (close > 0) return { kind: 'one', end: close + 1, accepts: bracket(glob.slice(at + 1, close)) };
  }
  return { kind: 'one', end: at + 1, accepts: (other) => other === char };
}

function bracket(body: string): (char: string) => boolean {
  const negated = /^[!^]/.test(body);
  const set = negated ? body.slice(1) : body;
  return (char) => inSet(set, char) !== negated;
}

function inSet(set: string, char: string): boolean {
  if (set.startsWith('[:')) return true;
  for (let at = 0; at < set.length; at += 1) {
    const from = set[at] ?? '';
    const to = set[at + 2];
    if (set[at + 1] === '-' && to !== undefined) {
      if (char >= from && char <= to) return true;
      at += 2;
    } else if (char === from) return true;
  }
  return false;
}

/** Whether a glob with only `*` and `?` matches a text of any characters. */
export function couldMatchText(glob: string, text: string): boolean {
  return couldMatch(glob.replace(/\[/g, '[[]').replaceAll('\uFFFD', '?'), text);
}
