// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import { guardContext } from '../../test/support/guard-context.ts';
import { analyse } from './analysis/index.ts';
import { promisesCompletion } from './analysis/promise.ts';
import { prose } from './analysis/prose.ts';
import { readStatus } from './analysis/status-block.ts';
import { isCheckCommand, isCommandLine } from './backlog/formats/check-command.ts';
import { looksLikeId, parseTitleLine } from './backlog/formats/markdown-title.ts';
import { standingOf } from './backlog/formats/standing.ts';
import { decodeText, loadSource, repairJson, restOf, safeStoryId } from './backlog/index.ts';
import { findingId, findingsIn } from './backlog/reviews/findings.ts';
import { block, code, plain, quiet, quoted } from './evidence/words.ts';
import { judgeCommand } from './guard/index.ts';
import { foldSession } from './hooks/index.ts';
import { importProgress, issuesOfAddress, readAssignments, readToml, understand } from './import/index.ts';
import { endpointOf, parseAuthority, parseHostPattern } from './isolation/index.ts';
import { missingTools } from './isolation/missing-tools.ts';
import { registryHosts } from './isolation/registries.ts';
import { lintPlan } from './plan-lint/lint.ts';
import { localImports } from './plugins.ts';
import { addNotes, compact, mergeAgentEntries } from './progress.ts';
import { projectChecks } from './project-checks/index.ts';
import { hasInlineTests } from './proof.ts';
import { errorOf } from './safeguards/errors.ts';
import { aCrash } from './safeguards/ledger.fixture.ts';
import { noteProblem } from './steering/index.ts';
import { findTampering, judgeTestRun } from './test-results/index.ts';
import { cleanText, shortLine } from './text/index.ts';

/** One reader of text that agents, people or tools write. */
export interface TextReader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Bits that mean something to it, to be put together without sense. */
  readonly words: readonly string[];
  /** Characters of the longest text to try it with, where it is slow for its length; else 200,000. */
  readonly longest?: number;
}

const words = (text: string): readonly string[] => text.split(' ');
const MARKDOWN = words(
  '# ## - * 1. [ ] [x] [-] ** __ ` ``` ~~~ > | --- : US-1 (depends on after ( ) <!-- --> Priority: Status: done BLOCKED Task 1:',
);
const JSON_WORDS = words(
  '{ } [ ] , : " \' \\ null true 1 -1e9 // /* */ "userStories" "id" "passes" "dependsOn" \u2028 <<<<<<< =======',
);
const OUTPUT = words(
  'PASS FAIL ok not ok 1..3 # tests 3 passed 1 failed Tests: Test Files ✓ ✗ ✘ × ● --- === FAILED errors= in 0.1s [ ] ( ) \u001b[31m \r \b',
);
const SOURCE = words(
  'it( test( describe( expect( .toBe( ) { } ; // /* */ \' " ` ${ .skip .only assert def class func @Test => # fn mod #[test] \\ """',
);

const source = (format: 'markdown' | 'prd-json' | 'tasks-json' | 'prompt', text: string) =>
  loadSource({ format, file: 'x', text, reviewsFile: 'reviews.json', reviewsText: null });
const guard = guardContext();
const check = (tail: string) => ({
  command: 'x',
  ok: false,
  exitCode: 127,
  durationMs: 1,
  tail,
  redAtBaseline: false,
  timedOut: false,
});
const FILES = [
  'package.json',
  'pyproject.toml',
  'Makefile',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'deno.json',
  'tox.ini',
];
const LANGUAGES = ['ts', 'py', 'go', 'rs', 'java', 'rb', 'php', 'c', 'cs', 'ex', 'swift', 'sh', 'kt'];

/** Every reader of free text in the rules. */
export const TEXT_READERS: readonly TextReader[] = [
  {
    name: 'the guard',
    read: (text) => judgeCommand(text, guard),
    words: words('rm -rf / ; && | $( ) ` " \' << > { , } for do done [[ ]] $(('),
  },
  {
    name: 'the status block',
    read: readStatus,
    words: words(
      '---RALPH_STATUS--- ---END_RALPH_STATUS--- STATUS: COMPLETE EXIT_SIGNAL: true FEEDBACK: REVIEW: APPROVED ``` ** - >',
    ),
  },
  {
    name: 'the analysis of an answer',
    read: (text) => analyse(text, { promise: 'COMPLETE', changedFiles: [], ranTests: false }),
    words: words(
      'all stories are done. not if ? ! ; nothing left remaining blocked I cannot ` > - # "everything" complete, but tests fail',
    ),
  },
  { name: 'the prose of an answer', read: prose, words: MARKDOWN },
  {
    name: 'the promise',
    read: (text) => promisesCompletion(text, 'COMPLETE'),
    words: words('<promise>COMPLETE</promise> <promise> </promise> COMPLETE ` ``` > " say not'),
  },
  { name: 'a Markdown backlog', read: (text) => source('markdown', text), words: MARKDOWN },
  { name: 'a title line', read: parseTitleLine, words: MARKDOWN },
  {
    name: 'an id',
    read: (text) => [looksLikeId(text), safeStoryId(text)],
    words: words('US-1 - _ . A 1 / .. @{ ~ ^ : é'),
  },
  {
    name: 'a command in a plan',
    read: (text) => [isCheckCommand(text), isCommandLine(text)],
    words: words('npm test && | run make `x` - a/b.ts the all pass $ ( )'),
  },
  {
    name: 'a status word',
    read: standingOf,
    words: words("done in progress blocked won't fix cancelled todo ✅ [x] 50% -"),
  },
  { name: 'prd.json', read: (text) => source('prd-json', text), words: JSON_WORDS },
  { name: 'tasks.json', read: (text) => source('tasks-json', text), words: JSON_WORDS },
  { name: 'a lone prompt', read: (text) => source('prompt', text), words: MARKDOWN },
  {
    name: 'reviews.json',
    read: (text) =>
      loadSource({ format: 'markdown', file: 'x', text: '- [ ] US-1 a', reviewsFile: 'r', reviewsText: text }),
    words: JSON_WORDS,
  },
  { name: 'JSON repair', read: repairJson, words: JSON_WORDS },
  {
    name: 'bytes of a backlog',
    read: (text) =>
      decodeText(
        Uint8Array.from(text, (one) => one.charCodeAt(0)),
        'x',
      ),
    words: words('\u0000 \u00ff\u00fe \u00ef\u00bb\u00bf a'),
  },
  {
    name: 'findings of a review',
    read: (text) => {
      const found = findingsIn(text, ['it works well', 'AC two']);
      found.map(findingId);
      return restOf(text, found);
    },
    words: MARKDOWN,
  },
  {
    name: 'the lint of a plan',
    read: (text) => {
      const { document } = source('markdown', `- [ ] US-1 ${text}\n  - ${text}\n- [ ] US-2 b`);
      return document === null ? null : lintPlan(document.backlog, { configured: [text], detected: [], prd: text });
    },
    words: MARKDOWN,
  },
  {
    name: 'Markdown for people',
    read: (text) => [block(text), code(text), plain(text), quiet(text), quoted(text)],
    words: MARKDOWN,
  },
  {
    name: 'a log of sessions',
    read: (text) => foldSession(text, 's'),
    words: words('{"session":"s", "read":["a"] "refusals":1 } \n {"session":"s"} null'),
  },
  {
    name: 'what is imported',
    read: (text) => understand({ file: 'x', bytes: new TextEncoder().encode(text), reviews: null, repair: true }),
    words: [...JSON_WORDS, ...MARKDOWN],
  },
  {
    name: 'the address of issues',
    read: issuesOfAddress,
    words: words('https://github.com/ a / issues labels/ ?q=label: %22 % .git'),
  },
  {
    name: 'an older progress log',
    read: (text) => importProgress('# P\n\n---\n', text, [{ file: 'x', text }]),
    words: words('# Codebase Patterns ## --- - a \r\n'),
  },
  { name: 'settings of a shell file', read: readAssignments, words: words('export A= "${A:-x}" \' " # $( ) \\ = ;') },
  { name: 'TOML', read: readToml, words: words('[a.b] a = "x" [1, 2] \' # true 1_0 ]]') },
  { name: 'cleaned text', read: cleanText, words: words('\u001b[31m \u202e \u0000 \r\n \t') },
  {
    name: 'a host',
    read: (text) => [parseAuthority(text, 80), parseHostPattern(text), endpointOf(text)],
    words: words('*. [::1] : 443 a.example.com 127.0.0.1 http:// @ % 0x7f é'),
  },
  {
    name: 'missing tools',
    read: (text) => missingTools([check(text)]),
    words: words('sh: x: command not found : No such file or directory bash: line 1: env:'),
  },
  {
    name: 'files that name registries',
    read: (text) =>
      registryHosts(
        Object.fromEntries(
          ['.npmrc', 'pyproject.toml', '.cargo/config.toml', 'pom.xml', 'build.gradle', 'Gemfile', 'go.mod'].map(
            (file) => [file, text],
          ),
        ),
        { GOPROXY: text, PIP_INDEX_URL: text },
      ),
    words: words('registry= https://a.example [source] url = "x" <url> maven { } ,direct @a:'),
  },
  { name: 'a line for people', read: (text) => shortLine(text), words: words('\u001b[31m \u001b]0; \u0007 \n \t a') },
  {
    name: 'a progress log',
    read: (text) => [
      compact(text, 2),
      mergeAgentEntries({ before: '# P\n\n---\n', after: text }),
      mergeAgentEntries({ before: text, after: '' }),
      addNotes(text, { heading: 'h', notes: [text], patterns: [text] }),
    ],
    words: words('[2026-01-01T00:00:00.000Z] #1 SUCCESS | --- ## - ``` \r\n'),
  },
  {
    name: 'files of a project',
    read: (text) => projectChecks({ names: new Set(FILES), text: () => text }),
    words: [...JSON_WORDS, 'test:', 'lint:', '[tool.pytest]', '<plugin>'],
  },
  {
    name: 'tests inside of code',
    read: (text) => LANGUAGES.map((extension) => hasInlineTests(`a.${extension}`, text)),
    words: SOURCE,
  },
  {
    name: 'a normalised error',
    read: (text) => errorOf(aCrash(text)),
    words: words('/a/b.ts:12:5 0x1f 12:00:01 jan 5, 2026 \u001b[31m # - 1.5ms " deadbeef1'),
  },
  { name: 'a note', read: noteProblem, words: words('a \u0000 \n \u202e') },
  {
    name: 'a command that may be a test run',
    read: (text) => judgeTestRun({ command: text, stdout: text, stderr: '', exitCode: 1 }),
    words: words('npm test && npx vitest run | tail -5 ; cd a pytest -k x env A=1 timeout 5 $( ) "'),
  },
  ...[
    'npx vitest run',
    'npx jest',
    'pytest',
    'go test ./...',
    'cargo test',
    'npm test',
    'mvn test',
    'dotnet test',
    './gtest',
    'make check',
  ].map((command) => ({
    name: `the output of ${command}`,
    read: (text: string) => judgeTestRun({ command, stdout: text, stderr: text, exitCode: 0 }),
    words: OUTPUT,
  })),
  ...LANGUAGES.map((extension) => ({
    longest: 20_000,
    name: `weakened tests in .${extension}`,
    read: (text: string) =>
      findTampering([
        { path: `test/a.test.${extension}`, before: 'it("a", () => {});\n', after: text },
        { path: `test/b_test.${extension}`, before: text, after: '' },
      ]),
    words: SOURCE,
  })),
  {
    longest: 100_000,
    name: 'weakened settings',
    read: (text) =>
      findTampering(
        [
          'package.json',
          'vitest.config.ts',
          '.github/workflows/ci.yml',
          'jest.config.js',
          'pyproject.toml',
          'Makefile',
          '.eslintrc.json',
          'a.snap',
        ].map((path) => ({ path, before: text.slice(0, 20), after: text })),
      ),
    words: [...JSON_WORDS, ...SOURCE],
  },
  {
    name: 'imports of a plugin',
    read: (text) => localImports('p/a.mjs', text),
    words: words('import from \' " ./x ../ ( ) export * new URL( require('),
  },
];
