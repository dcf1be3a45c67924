import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIVE, type TestRun } from './api.ts';
import { judgeTestRun } from './judge-test-run.ts';

const FAILED = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\n';
const PASSED = 'Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n';

/** The outcome, with a `?` when it is not decisive. */
function judge(command: string, run: Partial<TestRun> = {}): string {
  const { outcome, confidence } = judgeTestRun({ command, stdout: '', stderr: '', exitCode: 0, ...run });
  return confidence >= DECISIVE ? outcome : `${outcome}?`;
}

describe('what the output says', () => {
  it('counts through pipes that hide the exit code', () => {
    expect(judge('npx jest 2>&1 | tail -5', { stdout: FAILED })).toBe('fail');
    expect(judge('npx jest || true', { stderr: FAILED })).toBe('fail');
    expect(judge('npx jest; echo done', { stdout: 'done\n', stderr: PASSED })).toBe('pass');
  });

  it('is added up over several runs, a failed one deciding', () => {
    const result = judgeTestRun({
      command: 'npx jest; cd web && npx jest',
      stdout: '',
      stderr: FAILED + PASSED,
      exitCode: 0,
    });
    expect(result).toMatchObject({ outcome: 'fail', passed: 5, failed: 1, framework: 'jest' });
  });

  it('counts for nothing when the command only shows text', () => {
    expect(judge('cat jest.log', { stdout: FAILED })).toBe('not-a-test');
    expect(judge('git log -p', { stdout: FAILED, exitCode: 1 })).toBe('not-a-test');
  });

  it('in words that no framework has is not decisive for a program that need not test', () => {
    expect(judge('bash verify.sh', { stdout: 'Passed: 4  Failed: 1\n', exitCode: 1 })).toBe('fail?');
    expect(judge('bash tests/run.sh', { stdout: 'Passed: 4  Failed: 1\n', exitCode: 1 })).toBe('fail');
  });

  it('makes a commit with hooks a test run', () => {
    expect(judge('git commit -m wip', { stderr: FAILED, exitCode: 1 })).toBe('fail');
    expect(judge('git commit -m "fix: 3 failed, 2 passed"', { stdout: '[main 1234567] fix: 3 failed, 2 passed' })).toBe(
      'not-a-test',
    );
  });

  it('is not decisive when the same command shows a log', () => {
    expect(judge('cat old.log; npx jest | tail -3', { stdout: FAILED })).toBe('fail?');
  });

  it('of a run that a test printed does not count against the last word', () => {
    expect(judge('npx jest 2>&1 | cat', { stdout: FAILED + PASSED })).toBe('pass?');
    expect(judge('npx jest 2>&1 | cat', { stdout: PASSED + FAILED })).toBe('fail?');
    expect(judge('npx jest', { stdout: FAILED + PASSED })).toBe('pass');
    expect(judge('npx jest', { stdout: PASSED + FAILED, exitCode: 1 })).toBe('fail');
    expect(judge('for d in a b; do npx jest $d; done; true', { stdout: FAILED + PASSED })).toBe('fail');
  });

  it('is not decisive when head may have cut off another run', () => {
    const stdout = 'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n';
    expect(judge('cargo test --no-fail-fast 2>&1 | head -20', { stdout })).toBe('pass?');
    expect(judge('cargo test 2>&1 | tail -20', { stdout })).toBe('pass');
    expect(judge('npx jest 2>&1 | head -20', { stdout: PASSED })).toBe('pass');
    expect(judge('npx tape 2>&1 | head -3', { stdout: 'TAP version 13\n# cart\nok 1 sums\n' })).toBe('unknown?');
  });

  it('of a run of Go that ends well is not decided by one that a test printed', () => {
    const stdout = 'FAIL\tex.com/inner\t0.01s\nFAIL\n--- PASS: TestTool (0.1s)\nPASS\nok  \tex.com/tool\t0.2s\n';
    expect(judge('go test -v . 2>&1 | tail -5', { stdout })).toBe('pass?');
    expect(judge('go test ./... | tail -5', { stdout: 'ok  \tex.com/a\t0.2s\nFAIL\tex.com/b\t0.2s\nFAIL\n' })).toBe(
      'fail',
    );
  });

  it('is not decisive when a script that may run several times does not agree with itself', () => {
    expect(judge('npm test 2>&1 | tail -50', { stdout: FAILED + PASSED })).toBe('fail?');
    const both = `> a@1.0.0 test\n> jest\n\n${FAILED}> b@1.0.0 test\n> jest\n\n${PASSED}`;
    expect(judge('npm test --workspaces || true', { stdout: both })).toBe('fail');
  });

  it('of an older run is not that of a script that shows it', () => {
    expect(judge('npm run test:report', { stdout: `> shop@1.0.0 test:report\n> cat last.log\n\n${FAILED}` })).toBe(
      'not-a-test',
    );
    expect(judge('make summary', { stdout: FAILED })).toBe('not-a-test?');
    expect(judge('zcat old/jest.log.gz', { stdout: FAILED })).toBe('not-a-test');
    expect(judge('./run-all; cat last.log', { stdout: FAILED })).toBe('not-a-test?');
  });

  it('of a program that need not test is a hint when only the middle of it is seen', () => {
    const stdout = '[ RUN      ] Till.Sums\n[  FAILED  ] Till.Sums (0 ms)\n';
    expect(judge('./build/till 2>&1 | head -20', { stdout })).toBe('fail?');
    expect(judge('./build/till', { stdout })).toBe('not-a-test?');
  });

  it('is read although every line is marked with its task', () => {
    const stdout = ['', '  1 passing (4ms)', '  1 failing', ''].map((line) => `till.js\t${line}\n`).join('');
    expect(judge('parallel --tag npx mocha ::: till.js', { stdout, exitCode: 1 })).toBe('fail');
  });

  it('tells what a script really runs', () => {
    const npm = '\n> shop@1.0.0 test\n> jest || true\n\n';
    expect(judge('npm test', { stdout: npm, stderr: FAILED })).toBe('fail');
    expect(judge('npm test', { stdout: npm.replace(' || true', ''), stderr: PASSED })).toBe('pass');
    expect(
      judge('npm test', {
        stdout: '> shop@1.0.0 test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified\n',
        exitCode: 1,
      }),
    ).toBe('no-tests');
  });
});

describe('the exit code', () => {
  it('of a runner outweighs what its tests print', () => {
    const output = '# fail 3\nnot ok 1 - retry\nTests:       3 failed, 3 total\n';
    expect(judge('npx vitest run', { stdout: output })).toBe('pass');
  });

  it('decides where nothing is printed', () => {
    expect(judge('npx jest > /dev/null 2>&1', { exitCode: 1 })).toBe('fail');
    expect(judge('npx jest > /dev/null 2>&1')).toBe('pass');
    expect(judge('python3 -m pytest -q > log.txt', { exitCode: 5 })).toBe('no-tests');
  });

  it('is an error when the runner did not get to its summary', () => {
    expect(judge('npx jest', { exitCode: 134 })).toBe('error');
    expect(judge('timeout 5 npx jest', { exitCode: 124 })).toBe('error');
    expect(judge('npm test', { stderr: 'sh: 1: jest: not found\n', exitCode: 127 })).toBe('error');
    expect(
      judge('npm run build && npm test', { stdout: 'src/a.ts(1,1): error TS2304: Cannot find name', exitCode: 2 }),
    ).toBe('error');
  });

  it('is an error when a framework prints, but not how it ended', () => {
    expect(
      judge('python3 -m unittest discover -s nowhere', { stderr: 'ImportError: no such folder\n', exitCode: 1 }),
    ).toBe('error');
    expect(judge('npx mocha nowhere', { stderr: 'Usage: mocha [spec..]\n', exitCode: 1 })).toBe('error');
    expect(judge('npx mocha', { exitCode: 1 })).toBe('fail');
  });

  it.each([
    ['npm test -w nowhere', 'npm error No workspaces found:\n'],
    ['make -C nowhere test', 'make: *** nowhere: No such file or directory.  Stop.\n'],
    ['bundle exec rspec', 'Could not locate Gemfile\n'],
    ['rake test', "Don't know how to build task 'test'\n"],
    ['npx nx test web', ' NX   Cannot find configuration for task web:test\n'],
  ])('is an error when %s does not start', (command, stderr) => {
    expect(judge(command, { stderr, exitCode: 1 })).toBe('error');
  });

  it.each([
    ['pnpm test 2>&1 | tail -2', '\u2009ELIFECYCLE\u2009 Test failed. See above for more details.\n'],
    ['make test 2>&1 | tail -3', 'make: *** [Makefile:7: test] Error 1\n'],
    ['npx nx run-many -t test | tail -3', '   ✖    2/5 targets failed, including the following:\n'],
    ['npm test | tail -1', 'ERROR: "test:unit" exited with 1.\n'],
    ['ninja -C out test | tail -2', 'ninja: build stopped: subcommand failed.\n'],
  ])('is told by the task runner: %s', (command, stdout) => {
    expect(judge(command, { stdout })).toBe('fail');
  });

  it('of a runner that crashed and hides it is guessed from its own frames', () => {
    const stderr = 'Error: oops\n    at Object.run (/app/node_modules/jest-cli/build/run.js:99:7)\n';
    expect(judge('npx jest || true', { stderr })).toBe('error?');
  });

  it('of a script after the tests does not make them fail', () => {
    const tests = '> shop@1.0.0 unit\n> jest\n\n';
    const lint = '> shop@1.0.0 lint\n> eslint src\n\n';
    expect(judge('npm run unit && npm run lint', { stdout: tests + lint, stderr: PASSED, exitCode: 1 })).toBe('pass');
  });

  it('of something after the tests does not make them fail', () => {
    expect(judge('npx jest && npx eslint .', { stderr: PASSED, exitCode: 1 })).toBe('pass');
  });

  it('that contradicts a passing summary is an error, not a certain one', () => {
    expect(judge('npx jest --coverage', { stderr: PASSED, exitCode: 1 })).toBe('error?');
  });

  it('that is echoed is read back', () => {
    expect(judge('npx jest > log 2>&1; echo "exit: $?"', { stdout: 'exit: 1\n' })).toBe('fail');
    expect(judge('npx jest > log 2>&1; echo "exit: $?"', { stdout: 'exit: 0\n' })).toBe('pass');
    expect(judge('npx jest > log 2>&1; rc=$?; tail -1 log; echo "rc=$rc"', { stdout: 'rc=1\n' })).toBe('fail');
    expect(judge('npx jest > log 2>&1 && echo fine || echo broken', { stdout: 'broken\n' })).toBe('fail');
  });

  it('of a masked and silent run tells nothing', () => {
    expect(judge('npx jest 2>&1 | grep -c Error', { stdout: '0\n' })).toBe('unknown?');
  });
});

describe('for any input', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          'Tests:       ',
          '1 failed',
          ' passed',
          '\n',
          'not ok 1',
          '  1) ',
          '\u001b[31m',
          '1..3',
          '>',
          ' | ',
          'FAIL\t',
          '(',
          ')',
          '"',
          "'",
          '$(',
        ),
      )
      .map((parts) => parts.join('')),
  );

  it('it never throws, and is sure by 0 to 1', () => {
    fc.assert(
      fc.property(text, text, text, fc.option(fc.nat(255)), (command, stdout, stderr, exitCode) => {
        const { confidence } = judgeTestRun({ command, stdout, stderr, exitCode });
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([
    ['spaces', ' '],
    ['digits', '1'],
    ['lines of numbers', '12 passed, '],
    ['marks of tests', 'not ok 1\n'],
    ['colours', '\u001b['],
    ['XML', '<testsuites tests='],
    ['equal signs', '='],
    ['summaries', '  1 passing (1ms)\n  1) a\n      Tests  1 failed (1)\nok 1\n# fail 1\n 1 fail\n'],
  ])('a megabyte takes no more than moments: %s', (_name, piece) => {
    const stdout = piece.repeat(Math.ceil(1_000_000 / piece.length));
    judgeTestRun({ command: 'npm test', stdout, stderr: '', exitCode: 1 });
    judgeTestRun({ command: 'npm test', stdout, stderr: '', exitCode: 1 });
  });
});
