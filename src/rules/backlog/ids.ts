import type { Story } from '../../contracts/index.ts';

/** Ids that can be used unchanged in refs, paths, branch names, commit messages and prompts. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Matches {@link SAFE_ID}, but `git check-ref-format` refuses it. */
const BAD_IN_REFS = /\.\.|\.$|\.lock$/;

/** The id itself if it is safe, else a readable part and a hash of the whole id: two ids never share a form. */
export function safeStoryId(id: string): string {
  if (SAFE_ID.test(id) && !BAD_IN_REFS.test(id)) return id;
  return `${slug(id, 40) || 'story'}-${hash(id)}`;
}

/**
 * The id of a story whose file has none for it. It depends on the title alone, so it survives edits of other stories.
 * Case, markup and spacing do not matter.
 */
export function derivedId(title: string): string {
  const normal = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return `${slug(normal, 32) || 'story'}-${hash(normal).slice(1, 7)}`;
}

/** The id that a text begins with: `#3 (login)`, `[US-001] Login`; empty when it begins with none. */
export function leadingId(text: string): string {
  return /^[#[(\s]*([\p{L}\p{N}][\p{L}\p{N}._/-]*)/u.exec(text)?.[1]?.replace(/[._/-]+$/, '') ?? '';
}

/** Assigns ids that are unique in one file: the requested id, else with the first free number appended. */
export function uniqueIds(): (wish: string) => string {
  const taken = new Set<string>();
  const nextNumber = new Map<string, number>();
  return (wish) => {
    let id = wish;
    let number = nextNumber.get(wish) ?? 2;
    while (taken.has(id)) id = `${wish}-${number++}`;
    nextNumber.set(wish, number);
    taken.add(id);
    return id;
  };
}

/** Lower-case ASCII words joined by dashes, cut at a word where possible. */
function slug(text: string, limit: number): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (words.length <= limit) return words;
  const cut = words.slice(0, limit + 1);
  const dash = cut.lastIndexOf('-');
  return (dash > limit / 2 ? cut.slice(0, dash) : words.slice(0, limit)).replace(/-+$/, '');
}

/** FNV-1a twice with different seeds (64 bits in all), in base 36. Not for secrets: it only keeps names apart. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return (high >>> 0).toString(36).padStart(7, '0') + (low >>> 0).toString(36).padStart(7, '0');
}

/** The next number in the series of the last numbered story: US-007 → US-008. */
export function nextId(stories: readonly Pick<Story, 'id'>[]): string {
  const numbered = stories.flatMap(({ id }) => {
    const match = /^(.*?)(\d{1,9})$/.exec(id);
    return match ? [{ prefix: match[1] ?? '', digits: match[2] ?? '' }] : [];
  });
  const last = numbered.at(-1) ?? { prefix: 'US-', digits: '000' };
  const series = numbered.filter((one) => one.prefix === last.prefix);
  const highest = series.reduce((most, { digits }) => Math.max(most, Number(digits)), 0);
  return `${last.prefix}${String(highest + 1).padStart(last.digits.length, '0')}`;
}
