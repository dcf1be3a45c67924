import { ownValue } from '../../../contracts/index.ts';
import type { Output } from '../clean.ts';
import { generic } from './counts.ts';
import type { Detector, Finding } from './finding.ts';
import { bun, jest, mocha, nodeTest, playwright, vitest } from './javascript.ts';
import { assertions, junitXml, reports, tap, tapReporters } from './protocols.ts';
import { TABLE_DETECTORS } from './rows.ts';
import { cargo, dotnet, go, gtest, pytest, unittest } from './runners.ts';

/** Tried from top to bottom; a known framework does not need the generic detector. */
const DETECTORS = {
  /** One framework's own format. */
  runner: [
    ...[jest, vitest, mocha, nodeTest, playwright, bun],
    ...[pytest, unittest, go, cargo, gtest, dotnet],
    ...TABLE_DETECTORS,
  ],
  /** A format shared by many, tried when no runner was found. */
  protocol: [assertions, junitXml, reports, tap, tapReporters],
  /** Output of home-made scripts. */
  generic: [generic],
} satisfies Readonly<Record<string, readonly Detector[]>>;

/** Detectors that also apply to a framework, where its own and the protocols are not enough. */
const VOICES: Readonly<Record<string, readonly string[]>> = {
  cypress: ['cypress', 'mocha'],
  webdriverio: ['webdriverio', 'mocha', 'jasmine', 'cucumber'],
  django: ['unittest', 'pytest'],
  nose2: ['unittest'],
  phpunit: ['phpunit', 'pest'],
  'test-unit': ['test-unit', 'minitest'],
  minitest: ['minitest', 'test-unit'],
  rails: ['minitest', 'test-unit', 'rspec'],
  ctest: ['ctest', 'gtest', 'catch2'],
  busted: ['busted', 'gtest'],
  maven: ['maven', 'junit', 'scalatest', 'testng'],
  gradle: ['gradle', 'maven', 'junit', 'testng'],
  sbt: ['sbt', 'scalatest'],
  go: ['go', 'gotestsum'],
  flutter: ['dart'],
  cabal: ['cabal', 'rspec', 'hunit', 'tasty'],
  stack: ['cabal', 'rspec', 'hunit', 'tasty'],
};

/**
 * The findings in the output. When the frameworks are known, only their detectors run: tests print other tools' lines.
 * Runners come first; a protocol, and last the generic detector, count if no earlier one has a summary.
 */
export function detect(
  output: Output,
  frameworks: ReadonlySet<string> | null,
  left: 'start' | 'part' | 'all' = 'all',
): readonly Finding[] {
  const voices = frameworks && new Set([...frameworks].flatMap((name) => ownValue(VOICES, name) ?? [name]));
  const found: Finding[] = [];
  for (const kind of ['runner', 'protocol', 'generic'] as const) {
    // A known framework prints its own format; a filter may leave a bare number of it.
    if (kind === 'generic' && (found.some(isOwn) || (voices !== null && left !== 'part'))) break;
    const asked = DETECTORS[kind].filter(({ framework }) => kind !== 'runner' || (voices?.has(framework) ?? true));
    const told = ask(asked, output);
    const own = told.filter((finding) => left !== 'start' || !isPrinted(finding));
    found.push(...own.filter((finding) => voices === null || !isStray(finding, voices)));
    if (found.some(({ strength }) => strength === 'summary')) break;
  }
  return found;
}

/** Whether a test may have printed it: before the end of the output nothing shows whose words they are. */
function isPrinted({ framework, evidence }: Finding): boolean {
  return framework === 'assertion' && evidence.includes('AssertionError');
}

/** Whether a runner said so, and not only a failed assertion in it. */
function isOwn({ framework }: Finding): boolean {
  return framework !== 'assertion';
}

/** Frameworks that print TAP test points by default; with others a test printed a single point. */
const TAP_SPEAKERS = ['tap', 'node:test', 'bats', 'prove', 'busted', 'ava', 'mocha'];

function isStray({ framework, strength }: Finding, voices: ReadonlySet<string>): boolean {
  if (framework === 'script') return strength === 'hint';
  return framework === 'tap' && strength !== 'summary' && !TAP_SPEAKERS.some((name) => voices.has(name));
}

function ask(detectors: readonly Detector[], output: Output): readonly Finding[] {
  const taken = new Set<string>();
  return detectors.flatMap((detector) => {
    // Some frameworks end with the same line: this is one run, not two.
    const found = detector.detect(output).filter(({ evidence }) => !taken.has(evidence));
    for (const { evidence } of found) taken.add(evidence);
    return found;
  });
}
