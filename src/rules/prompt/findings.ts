import type { ReviewFinding } from '../../contracts/model.ts';
import { restOf } from '../backlog/reviews/findings.ts';
import { isSettled } from '../backlog/reviews/memory.ts';

/** What a reviewer has to know of earlier reviews: what to verify, and what is not to be brought up again. */
export function memoryLines(findings: readonly ReviewFinding[]): string[] {
  const parts: readonly (readonly [string, readonly ReviewFinding[]])[] = [
    [
      'Verify each: is it mended? Name its id where you bring it up again.',
      findings.filter(({ state }) => state === 'open'),
    ],
    ['Settled, not to be brought up again, in whatever words:', findings.filter(isSettled)],
    ['Mended since; look whether they came back:', findings.filter(({ state }) => state === 'resolved')],
  ];
  const blocks = parts.flatMap(([lead, some]) => (some.length === 0 ? [] : [[lead, ...some.map(itemOf)].join('\n')]));
  return blocks.length === 0 ? [] : [blocks.join('\n\n')];
}

/** What a fixer has to address: the open findings by their ids, and what the loop itself found beside them. */
export function feedbackLines(feedback: string, findings: readonly ReviewFinding[]): string[] {
  const open = findings.filter(({ state }) => state === 'open');
  if (feedback.trim() === '') return [];
  const rest = restOf(feedback, findings);
  if (open.length === 0) return rest === '' ? [] : [rest];
  return [...open.map(itemOf), ...(rest === '' ? [] : ['', rest])];
}

function itemOf({ id, file, criterion, claim, state, reason }: ReviewFinding): string {
  const settled = isSettled({ state }) ? ` (${state}${reason ? `: ${reason.replace(/\s+/g, ' ')}` : ''})` : '';
  const where = file === null || claim.includes(file) ? '' : `${file}: `;
  const about = criterion === null ? '' : `\n  criterion: ${criterion.replace(/\s+/g, ' ')}`;
  return `- ${id}${settled}: ${where}${claim.replaceAll('\n', '\n  ')}${about}`;
}
