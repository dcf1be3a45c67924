import { textOf } from './ansi.ts';

/** Stands where lines of the run were left out. */
export const CUT = '\u001b[2m  ⋯\u001b[22m';

/** A kind of line, known by how it begins. */
const KIND = /^(?:\d\d:\d\d:\d\d )? {2}(agent|check|verdict|commit|story|denied|refused|rollback|│)/;

/** What the picture shows of an iteration besides its heading: how many lines of each kind, counted from the first. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // Goes well at once.
  '1': { '│': 3, agent: 1, check: 1, verdict: 1, commit: 1 },
  // Breaks a test, is rolled back, and is told so.
  '3': { agent: 1, check: 1, verdict: 1, '│': 4, rollback: 1 },
  '4': { '│': 2, agent: 1, check: 1, verdict: 1 },
  // Is sent back by the review.
  '7': { agent: 1, check: 1, verdict: 1, '│': 1 },
  // Wants to push by force and to approve itself.
  '10': { denied: 1, refused: 1, '│': 4, verdict: 1 },
};

/**
 * The most telling lines of a demo's output, as they are; {@link CUT} marks what was left out. Nothing before the
 * first iteration is shown, and of the summary its beginning with the table of stories.
 */
export function chooseLines(output: string): readonly string[] {
  const chosen: string[] = [];
  let shown: Record<string, number> = {};
  let place: 'before' | 'iteration' | 'summary' | 'after' = 'before';
  let cut = false;
  for (const line of output.split('\n')) {
    const text = textOf(line);
    const iteration = /^(?:\d\d:\d\d:\d\d )?\[(\d+)\/\d+\]/.exec(text)?.[1];
    const ends = place === 'iteration' && /^[A-Z]+: /.test(text);
    let keep = false;
    if (iteration !== undefined) {
      place = 'iteration';
      shown = { ...SHOWN[iteration] };
      keep = iteration in SHOWN;
    } else if (ends) {
      place = 'summary';
      keep = true;
    } else if (place === 'summary') {
      if (text.startsWith('Commits on ')) place = 'after';
      keep = place === 'summary';
    } else if (place === 'iteration') {
      const kind = KIND.exec(text)?.[1] ?? '';
      keep = (shown[kind] ?? 0) > 0;
      if (keep) shown[kind] = (shown[kind] ?? 0) - 1;
    }
    if (keep) {
      if (cut && chosen.length > 0) chosen.push(CUT);
      else if ((iteration !== undefined || ends) && chosen.length > 0) chosen.push('');
      chosen.push(line);
      cut = false;
    } else if (text !== '') cut = true;
  }
  while (chosen.at(-1) === '') chosen.pop();
  return chosen;
}
