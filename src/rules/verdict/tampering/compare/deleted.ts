import type { TamperFinding } from '../api.ts';
import type { Section } from '../outline/outline.ts';
import { type Subjects, stemOf } from './context.ts';
import type { FilePair, Pairing, Placed } from './pair.ts';

/** Cases that are gone for good. One finding per file that is gone as a whole. */
export function deletedTests(
  { gone, added }: Pairing,
  files: readonly FilePair[],
  subjects: Subjects,
): TamperFinding[] {
  return files.flatMap((file) => {
    const lost = gone.filter((place) => place.file === file);
    if (lost.length === 0) return [];
    const excuse = excuseFor(file, lost, added, subjects);
    if (file.after === null && lost.length > 1 && lost.length === file.before?.cases.length) {
      return [wholeFile(file, lost.length, excuse ?? (lost.every(isAbout(subjects)) ? aboutGone : null))];
    }
    return lost.map((place) => oneTest(place, file, excuse ?? (isAbout(subjects)(place) ? aboutGone : null)));
  });
}

const aboutGone = 'what it tests is gone too';

function finding(path: string, line: number, what: string, excuse: string | null): TamperFinding {
  const detail = excuse === null ? `${what}.` : `${what}; ${excuse}.`;
  return { kind: 'test-deleted', path, line, detail, severity: excuse === null ? 'high' : 'low' };
}

function wholeFile({ path }: FilePair, count: number, excuse: string | null): TamperFinding {
  return finding(path, 1, `The file with its ${count} tests was deleted and they are nowhere else`, excuse);
}

function oneTest({ section }: Placed, { path, before, after }: FilePair, excuse: string | null): TamperFinding {
  const name = `Test “${section.unit.name}”`;
  if (after !== null && isCommentedOut(section, before?.source.comments ?? '', after.source.comments)) {
    return finding(path, section.line, `${name} was commented out`, null);
  }
  return finding(path, section.line, `${name} was deleted`, excuse);
}

/** Why the cases of a file may have gone for a good reason. */
function excuseFor(
  file: FilePair,
  lost: readonly Placed[],
  added: readonly Placed[],
  subjects: Subjects,
): string | null {
  if (subjects.stems.has(stemOf(file.path))) return 'the file it tests is gone too';
  const stem = stemOf(file.path);
  const inPlace = added.filter((place) => place.file === file || stemOf(place.file.path) === stem);
  const weight = (places: readonly Placed[]) => places.reduce((sum, { section }) => sum + section.assertions.length, 0);
  if (inPlace.length >= lost.length && weight(inPlace) >= weight(lost)) return 'new tests stand in its place';
  return null;
}

const isAbout =
  ({ names }: Subjects) =>
  ({ section }: Placed): boolean =>
    [...section.words.keys()].some((word) => names.has(word));

/** Its first assertion stands in a comment now, and did not before. */
function isCommentedOut({ assertions }: Section, before: string, after: string): boolean {
  const sign = essence(assertions[0]?.tokens.join('') ?? '');
  return sign.length > 8 && essence(after).includes(sign) && !essence(before).includes(sign);
}

const essence = (text: string) => text.replace(/[\s*#/;,]+/g, '').replace(/["`]/g, "'");
