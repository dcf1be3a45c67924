import { type FileChange, newMatches, type TamperFinding, withoutCommentLines } from './change.ts';
import { type Purpose, purposesOf } from './scripts.ts';
import { ciFiles } from './settings.ts';

/** Words by which a build may still run a check in an unknown way. */
const mentions: Readonly<Partial<Record<Purpose, RegExp>>> = {
  tests: /\b(?:tests?|specs?|check)\b/i,
  lint: /\blint/i,
  types: /\btypes?\b|\btypecheck\b|\btsc\b/i,
};
const title = /^[ \t-]*(?:name|id|key|displayName):.*$/gm;
/** Keywords that delegate the work to something outside the file. */
const delegation = /\b(?:uses|imports?|include|extends|template|orbs?|library)\b\s*[:(]?.*/g;

/** CI files that changed. A check that a build no longer runs is worse than a change. */
export function changedCi(changes: readonly FileChange[]): TamperFinding[] {
  const files = changes
    .filter(({ path }) => ciFiles.test(path))
    .map(({ path, before, after }) => ({ path, before: essence(before), after: essence(after) }))
    .filter(({ before, after }) => before !== after);
  const now = files.map(({ after }) => after ?? '').join('\n');
  const kept = new Set(files.map(({ after }) => after).filter((after) => after !== null));
  return files.flatMap((file) => judge(file, now, kept));
}

function judge({ path, before, after }: FileChange, now: string, kept: ReadonlySet<string>): TamperFinding[] {
  const finding = (kind: TamperFinding['kind'], severity: TamperFinding['severity'], detail: string) => [
    { kind, path, line: 1, detail, severity },
  ];
  if (before === null) return finding('ci-changed', 'low', 'A CI file was added.');
  if (after === null && kept.has(before)) return [];

  const unserved = [...purposesOf(before)].filter((purpose) => purpose in mentions && !purposesOf(now).has(purpose));
  const rewritten = newMatches(/^.*\S.*$/gm, before, now).length > 0;
  const lost = unserved
    .filter((purpose) => !rewritten || mentions[purpose]?.test(now.replace(title, '')) === false)
    .join(', ');
  if (after === null) {
    const severity = lost === '' || kept.size > 0 ? 'low' : 'high';
    return finding('ci-changed', severity, `A CI file was deleted${lost === '' ? '' : `; it ran ${lost}`}.`);
  }
  if (lost === '') return finding('ci-changed', 'low', 'A CI file was changed.');
  const delegated = newMatches(delegation, before, after).length > 0;
  return finding('check-neutralised', delegated ? 'low' : 'high', `The build no longer runs ${lost} here.`);
}

/** A CI file without comments, empty lines and trailing spaces. */
function essence(text: string | null): string | null {
  return text === null
    ? null
    : withoutCommentLines(text)
        .replace(/(?<![ \t])[ \t]+$/gm, '')
        .replace(/\n{2,}/g, '\n')
        .trim();
}
