import type { Story } from '../../contracts/model.ts';

/** One beyond the highest number of the series that the last numbered story belongs to: US-007 → US-008. */
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
