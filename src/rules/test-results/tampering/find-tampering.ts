import { newMarks, weakenedAssertions } from './assertions.ts';
import type { FileChange, Finding } from './change.ts';
import { deletedFiles, deletedTests, goneSubjects, removedRows } from './deleted.ts';
import { pairTests } from './pair.ts';
import { changedCi, neutralisedScripts } from './scripts.ts';
import { changedSnapshots, hiddenFromDiff, loosenedSettings, silencedFiles } from './settings.ts';
import { type FilePair, readTestFile } from './test-file.ts';
import { loosenedThresholds } from './thresholds.ts';

/** Test data, or other projects' code: irrelevant to this project's checks. */
const material = /(?:^|\/)(?:node_modules|vendor|fixtures?|__fixtures__|testdata|test-data|__mocks__)\//;

/** Findings that one file shows by itself. */
const ofOneFile = [hiddenFromDiff, neutralisedScripts, loosenedSettings, silencedFiles, loosenedThresholds];

/**
 * What a change did to the tests and checks that judge it. Takes all files of a change together, since tests move
 * between files; never throws; findings are sorted by path and line.
 */
export function findTampering(changes: readonly FileChange[]): readonly Finding[] {
  const changed = changes.filter(({ path, before, after }) => before !== after && !material.test(path));
  return [
    ...findInTests(changed),
    ...changed.flatMap((change) => ofOneFile.flatMap((rule) => rule(change))),
    ...changedCi(changed),
    ...changedSnapshots(changed),
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
}

function findInTests(changes: readonly FileChange[]): Finding[] {
  const files = changes.flatMap(({ path, before, after }): readonly FilePair[] => {
    const read = (text: string | null) => (text === null ? null : readTestFile(path, text));
    const pair = { path, before: read(before), after: read(after) };
    return pair.before === null && pair.after === null ? [] : [pair];
  });
  const subjects = goneSubjects(changes, files);
  const pairing = pairTests(files);
  const withTests = files.filter(({ before }) => (before?.tests.length ?? 0) > 0).map(({ path }) => path);
  return [
    ...deletedTests(pairing, files, subjects),
    ...deletedFiles(changes, subjects, new Set(withTests)),
    ...newMarks(files, pairing),
    ...weakenedAssertions(files, pairing, subjects),
    ...removedRows(pairing),
  ];
}
