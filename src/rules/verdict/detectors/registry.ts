import type { Output } from '../clean.ts';
import { ownValue } from '../recognise/own-value.ts';
import { bun } from './bun.ts';
import { cargo } from './cargo.ts';
import { dotnet } from './dotnet.ts';
import type { Detector, Finding } from './finding.ts';
import { generic } from './generic.ts';
import { go } from './go.ts';
import { gtest } from './gtest.ts';
import { javascript } from './javascript.ts';
import { jest } from './jest.ts';
import { junitConsole, jvm } from './jvm.ts';
import { languages } from './languages.ts';
import { marks } from './marks.ts';
import { mocha } from './mocha.ts';
import { native } from './native.ts';
import { nodeTest } from './node-test.ts';
import { phpunit } from './phpunit.ts';
import { playwright } from './playwright.ts';
import { pytest } from './pytest.ts';
import { jestJson, junitXml, mochaJson, playwrightJson, rspecJson } from './reports.ts';
import { tap } from './tap.ts';
import { tapReporters } from './tap-reporters.ts';
import { unittest } from './unittest.ts';
import { uvu } from './uvu.ts';
import { vitest } from './vitest.ts';

const DETECTORS: readonly Detector[] = [
  jest,
  vitest,
  mocha,
  nodeTest,
  playwright,
  bun,
  uvu,
  ...javascript,
  pytest,
  unittest,
  go,
  cargo,
  phpunit,
  junitConsole,
  ...jvm,
  ...native,
  gtest,
  dotnet,
  ...languages,
  ...marks,
  jestJson,
  mochaJson,
  playwrightJson,
  rspecJson,
  junitXml,
  tap,
  tapReporters,
  generic,
];

/** Detectors that may speak for a framework, where that is more than its own and the protocols. */
const VOICES: Readonly<Record<string, readonly string[]>> = {
  cypress: ['cypress', 'mocha'],
  webdriverio: ['webdriverio', 'mocha', 'jasmine', 'cucumber'],
  django: ['unittest', 'pytest'],
  nose2: ['unittest'],
  pest: ['phpunit'],
  'test-unit': ['test-unit', 'minitest'],
  minitest: ['minitest', 'test-unit'],
  rails: ['minitest', 'test-unit', 'rspec'],
  ctest: ['ctest', 'gtest', 'catch2'],
  maven: ['maven', 'junit', 'scalatest', 'testng'],
  gradle: ['gradle', 'maven', 'junit', 'testng'],
  sbt: ['sbt', 'scalatest'],
  go: ['go', 'gotestsum'],
  flutter: ['dart'],
  cabal: ['cabal', 'rspec', 'hunit', 'tasty'],
  stack: ['cabal', 'rspec', 'hunit', 'tasty'],
};

/**
 * What the output says. With frameworks known only their detectors are asked: tests print lines of others.
 * Runners come first; a protocol, and last a script's own words, count where none before has a summary.
 */
export function detect(output: Output, frameworks: ReadonlySet<string> | null): readonly Finding[] {
  const voices = frameworks && new Set([...frameworks].flatMap((name) => ownValue(VOICES, name) ?? [name]));
  const found: Finding[] = [];
  for (const kind of ['runner', 'protocol', 'generic'] as const) {
    // A known framework has words of its own.
    if (kind === 'generic' && voices !== null) break;
    const told = ask(
      output,
      (detector) => detector.kind === kind && (kind !== 'runner' || (voices?.has(detector.framework) ?? true)),
    );
    found.push(...told.filter((finding) => voices === null || !isStrayPoint(finding, voices)));
    if (found.some(({ strength }) => strength === 'summary')) break;
  }
  return found;
}

/** Frameworks that print test points of TAP by default; with others a single one is what a test printed. */
const TAP_SPEAKERS = ['tap', 'node:test', 'bats', 'prove', 'busted', 'ava', 'mocha'];

function isStrayPoint({ framework, strength }: Finding, voices: ReadonlySet<string>): boolean {
  return framework === 'tap' && strength !== 'summary' && !TAP_SPEAKERS.some((name) => voices.has(name));
}

function ask(output: Output, wanted: (detector: Detector) => boolean): readonly Finding[] {
  const taken = new Set<string>();
  return DETECTORS.filter(
    (detector) => wanted(detector) && detector.hints.some((hint) => output.text.includes(hint)),
  ).flatMap((detector) => {
    // Some frameworks end with the same line: it is one run, not two.
    const found = detector.detect(output).filter(({ evidence }) => !taken.has(evidence));
    for (const { evidence } of found) taken.add(evidence);
    return found;
  });
}
