import type { FileChange, TamperFinding } from './api.ts';
import { assertionChanges } from './compare/assertion-changes.ts';
import { goneSubjects, testPairs } from './compare/context.ts';
import { deletedTests } from './compare/deleted.ts';
import { deletedFiles } from './compare/deleted-files.ts';
import { hollowAssertions } from './compare/hollow-assertions.ts';
import { newMarks } from './compare/marked.ts';
import { pairCases } from './compare/pair.ts';
import { removedAssertions } from './compare/removed-assertions.ts';
import { swallowedFailures } from './compare/swallowed.ts';
import { removedRows } from './compare/tables.ts';
import { hiddenFromDiff } from './files/attributes.ts';
import { changedCi } from './files/ci.ts';
import { neutralisedScripts } from './files/scripts.ts';
import { loosenedSettings } from './files/settings.ts';
import { silencedFiles } from './files/silencers.ts';
import { changedSnapshots } from './files/snapshots.ts';
import { loosenedThresholds } from './files/thresholds.ts';

/** Kept for tests to look at, or somebody else's: says nothing about this project's checks. */
const material = /(?:^|\/)(?:node_modules|vendor|fixtures?|__fixtures__|testdata|test-data|__mocks__)\//;

/** What one file tells by itself. */
const ofOneFile = [hiddenFromDiff, neutralisedScripts, loosenedSettings, silencedFiles, loosenedThresholds];

/**
 * What a change did to the tests and checks that judge it. All files of a change together, since tests move between
 * files; never throws; findings come in the order of path and line.
 */
export function findTampering(changes: readonly FileChange[]): readonly TamperFinding[] {
  const changed = changes.filter(({ path, before, after }) => before !== after && !material.test(path));
  return [
    ...findInTests(changed),
    ...changed.flatMap((change) => ofOneFile.flatMap((rule) => rule(change))),
    ...changedCi(changed),
    ...changedSnapshots(changed),
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
}

function findInTests(changes: readonly FileChange[]): TamperFinding[] {
  const files = testPairs(changes);
  const subjects = goneSubjects(changes, files);
  if (files.length === 0) return deletedFiles(changes, subjects, new Set());
  const pairing = pairCases(files);
  const deleted = deletedTests(pairing, files, subjects);
  // Of a file with cases each that is nowhere else is told.
  const told = new Set(files.flatMap(({ path, before }) => (before !== null && before.cases.length > 0 ? [path] : [])));
  const assertions = assertionChanges(files, pairing);
  return [
    ...deleted,
    ...deletedFiles(changes, subjects, told),
    ...newMarks(files, pairing),
    ...removedAssertions(assertions, files, subjects),
    ...hollowAssertions(assertions, files),
    ...removedRows(pairing),
    ...swallowedFailures(pairing),
  ];
}
