import { describe, expect, it } from 'vitest';
import { DECISIVE, type TestOutcome } from './api.ts';
import { judgeTestRun } from './judge-test-run.ts';

const judge = (command: string, stdout: string, exitCode = 0) =>
  judgeTestRun({ command, stdout, stderr: '', exitCode });

type Row = readonly [outcome: TestOutcome, command: string, stdout: string, exitCode?: number];

it.each([
  [
    'npx nyc mocha | tee log',
    '  1 passing (4ms)\n\nERROR: Coverage for lines (50%) does not meet global threshold (99%)\n',
  ],
  [
    'npx jest | tee log',
    'Jest: "global" coverage threshold for lines (95%) not met: 50%\nTests:       1 passed, 1 total\n',
  ],
  [
    'pytest --cov | tee log',
    '=== 1 passed in 0.1s ===\nFAIL Required test coverage of 95% not reached. Total coverage: 50.00%\n',
  ],
  ['npx lab | tee log', '1 tests complete\nCode coverage below threshold: 66.67 < 100\n'],
  ['npx lab | tee log', '1 tests complete\nThe following leaks were detected: leaky\n'],
])('is no pass: %s, %s', (command, stdout) => {
  expect(judge(command, stdout).outcome).toBe('error');
});

it('takes no project of several for the last word', () => {
  const { outcome } = judge(
    'git init; npx nx run-many -t test | tee log',
    '# fail 1\n# cancelled 0\n\n  2 passing (4ms)\n',
  );
  expect(outcome).toBe('fail');
});

it.each([
  ['npx jest', 'Tests:       5 passed, 5 total\nTests:       1 failed, 1 total\n', 1, [0, 1]],
  ['npx vitest run', '      Tests  9 passed (9)\n      Tests  2 passed (2)\n', 0, [2, 0]],
])('counts the own summary of %s, not what tests print', (command, stdout, code, counts) => {
  const { passed, failed } = judge(command, stdout, code);
  expect([passed, failed]).toEqual(counts);
});

describe('decisive is', () => {
  const rows: readonly Row[] = [
    ['not-a-test', 'command -v rspec bats; echo $?', '1\n'],
    ['not-a-test', 'hash mocha || type pytest', '', 1],
    ['not-a-test', 'sudo -l npx jest', 'Sorry.\n', 1],
    ['not-a-test', 'bats -c spec', '7\n'],
    ['fail', 'command npx jest', 'Tests:       1 failed, 1 total\n', 1],
    ['error', 'cd gone && pytest -q', 'bash: line 1: cd: gone: No such file or directory\n', 1],
    ['error', 'cd gone && go test ./...', "/bin/sh: 1: cd: can't cd to gone\n", 1],
    ['error', 'pushd gone && cargo test | tail -3', 'bash: pushd: gone: No such file or directory\n', 1],
    ['fail', 'make test | tail -4', 'All tests passed.\n3 of 9 checks failed\nmake: *** [Makefile:9: e2e] Error 1\n'],
    ['fail', 'npx tape t.js | npx tap-spec', '  total:     3\n  passing:   1\n  failing:   2\n', 1],
    ['fail', 'npx tape t.js | npx faucet', '⨯ floats\n# tests 3\n# pass  2\n⨯ fail  1\n', 1],
    ['fail', 'npx tape t.js | npx tap-diff', 'passed: 2,  failed: 1  of 3 tests  (20ms)\n', 1],
    ['pass', 'npx tape t.js | npx tap-spec', '  total:     2\n  passing:   2\n  duration:  9ms\n'],
    ['error', 'npx vitest run | tail -3', " MISSING DEPENDENCY  Cannot find dependency 'happy-dom'\n"],
    ['no-tests', 'npx jest -o | tail -1', 'No tests found related to files changed since "main".\n'],
    ['fail', 'npm run verify | tail -3', 'npm error Lifecycle script `unit` failed with error:\nnpm error code 1\n'],
    ['error', 'pytest -q', '!!!!! KeyboardInterrupt !!!!!\nno tests ran in 0.38s\n', 2],
    ['no-tests', 'pytest -qq', 'ss                    [100%]\n'],
    ['pass', 'pytest -qq', 's.                    [100%]\n'],
    ['no-tests', 'phpunit tests', 'WARNINGS!\nTests: 1, Assertions: 0, Warnings: 1.\n'],
    ['fail', 'busted -o junit', "<testsuites skip='1' failures='1' tests='3' errors='0'>\n", 1],
    [
      'no-tests',
      'ruby test/boat_test.rb',
      '1 tests, 0 assertions, 0 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n',
    ],
    ['no-tests', 'bats -F junit spec', '<testsuites time="0">\n</testsuites>\n'],
    [
      'no-tests',
      'busted -o gtest',
      '[==========] 1 test from 1 test file ran. (1.2 ms total)\n[  PASSED  ] 0 tests.\n',
    ],
    ['fail', 'busted | tail -3', 'Failure -> spec/boat_spec.lua @ 4\nboat floats\nspec/boat_spec.lua:4: no\n'],
    ['error', 'prove', 'Bailout called.  Further testing stopped:  no\nResult: NOTESTS\n', 255],
    ['fail', 'python -m twisted.trial boat', 'Ran 2 tests in 0.100s\n\nFAILED (failures=1, successes=1)\n', 1],
    ['no-tests', 'trial boat', 'Ran 1 tests in 0.1s\n\nPASSED (skips=1)\n'],
    ['pass', 'trial boat', 'Ran 2 tests in 0.1s\n\nPASSED (skips=1, successes=1)\n'],
    ['error', 'busted -o gtest', '[  PASSED  ] 0 tests.\n[  ERROR   ] 1 error, listed below:\n', 1],
    ['error', 'mix test | tail -3', '3 tests, 0 failures, 1 invalid, 1 skipped\n'],
    ['no-tests', 'mix test', '3 tests, 0 failures, 2 excluded, 1 skipped\n'],
    ['pass', 'bun --filter "*" test', ' 1 pass\n 0 fail\n'],
    ['no-tests', 'npx ava', '  - [skip] floats\n  ─\n\n  1 test skipped\n'],
    ['pass', 'npx ava', '  1 test passed\n  1 test skipped\n'],
    ['error', 'npx cucumber-js', '1 scenario (1 pending)\n2 steps (1 pending, 1 skipped)\n', 1],
    ['fail', 'npx cucumber-js', '1 scenario (1 ambiguous)\n1 step (1 ambiguous)\n', 1],
    ['pass', 'npx lab', '2 tests complete\nTest duration: 3 ms\n'],
    ['error', 'npx lab', 'Error requiring file: test/a.js\n', 1],
    ['pass', 'npx poku test', '  ● floats › 0.102ms\n PASS › 2   FAIL › 0 \n'],
    ['fail', 'npx mocha | grep -v failing', '  1 passing (6ms)\n\n  1) b:\n\n      AssertionError: 1 == 2\n'],
    ['fail', 'npx mocha | ts', 'Jan  1 12:00:00   1 passing (6ms)\nJan  1 12:00:00   1 failing\nJan  1 12:00:00 \n'],
    ['fail', 'deno test | tail -1', 'error: Test failed\n'],
    ['fail', 'npx mocha --reporter markdown', '# TOC\n\na.\n', 1],
    ['fail', 'npx vows', '  ✗ Broken » 1 honored ∙ 1 broken (0.003s)\n', 1],
    [
      'fail',
      'emacs -batch -l ert -f ert-run-tests-batch-and-exit',
      'Ran 2 tests, 1 results as expected, 1 unexpected (x)\n',
      1,
    ],
    // A test ended the process with 0: no summary.
    ['error', 'npx jest', '  ● process.exit called with "0"\n\n      at Object.<anonymous> (a.test.js:1:1)\n'],
    ['error', 'npm test', '\n> test\n> mocha\n\n\n  ✔ a\n'],
    ['error', 'pytest', '====== test session starts ======\ncollected 3 items\n\ntest_a.py .'],
    ['error', 'vendor/bin/phpunit tests', 'PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n.'],
    ['error', 'bun test', 'bun test v1.3.4 (a7733435c)\n\na.test.js:\n(pass) a [0.08ms]\n'],
    ['pass', 'npx playwright test --reporter=json', '{"stats":{"expected":0,"unexpected":0,"flaky":1}}\n'],
    [
      'no-tests',
      'deno test --reporter=junit',
      '<testsuites tests="1" failures="0">\n<testsuite tests="1" disabled="1" failures="0">\n',
    ],
    [
      'fail',
      'npm run verify | tail -3',
      'npm error Lifecycle script `all` failed with error:\nnpm error command sh -c ava\n',
    ],
  ];

  it.each(rows)('%s: %s → %j', (...row) => {
    const [outcome, command, stdout, exitCode] = row as unknown as Row;
    const result = judge(command, stdout, exitCode);
    expect(result).toMatchObject({ outcome });
    expect(result.confidence).toBeGreaterThanOrEqual(DECISIVE);
  });
});

describe('the mark of one failed test, left by a filter, is a failure', () => {
  it.each([
    ['npx vitest run | grep ×', ' × lib/boat.test.ts > floats 3ms\n'],
    ['npx jest --verbose | grep ✕', '  ✕ floats (3 ms)\n'],
    ['rspec -f d | head -3', '\nBoat\n  floats (FAILED - 1)\n'],
    ['cargo test | grep FAILED', 'test boat::floats ... FAILED\n'],
    ['cargo nextest run | grep FAIL', '        FAIL [   0.004s] boat tests::floats\n'],
    ['bats -p spec | head -2', ' ✗ floats\n   (in test file spec/boat.bats, line 3)\n'],
    ['bun test | grep ✗', '✗ floats [0.10ms]\n'],
    ['dotnet test | grep Failed', '  Failed Boat.Tests.Floats [3 ms]\n'],
    ['mix test | grep test', '  1) test floats (BoatTest)\n'],
    ['./gradlew test | grep FAILED', 'BoatTest > floats() FAILED\n'],
    ['mvn test | grep ERROR', '[ERROR]   BoatTest.floats:12 expected: <1> but was: <2>\n'],
    ['ruby test/boat_test.rb -v | grep "= F"', 'BoatTest#test_floats = 0.00 s = F\n'],
    ['phpunit --testdox | grep ✘', ' ✘ Floats\n'],
    ['prove t | head -2', "#   Failed test 'floats'\n#   at t/boat.t line 4.\n"],
    ['swift test | grep fail', "Test Case 'BoatTests.testFloats' failed (0.1 seconds)\n"],
    ['python -m unittest -v 2>&1 | head -1', 'test_floats (boat.Boat.test_floats) ... FAIL\n'],
  ])('%s', (command, stdout) => {
    const result = judge(command, stdout);
    expect(result).toMatchObject({ outcome: 'fail' });
    expect(result.confidence).toBeGreaterThanOrEqual(DECISIVE);
  });

  it('but that of a file that could not be loaded is an error', () => {
    const stdout = 'ERROR: boat (unittest.loader._FailedTest.boat)\n';
    expect(judge('python -m unittest 2>&1 | grep ERROR', stdout)).toMatchObject({ outcome: 'error' });
  });

  it('but what a passing test of Perl expects to fail is none', () => {
    const stdout = "#   Failed (TODO) test 'floats'\n#   at t/boat.t line 4.\nResult: PASS\n";
    expect(judge('prove t | tail -3', stdout)).toMatchObject({ outcome: 'pass' });
  });
});

describe('beside the log of an older run', () => {
  const red = 'Tests:       2 failed, 3 total\n';
  const green = '# tests 3\n# pass 3\n# fail 0\n# cancelled 0\n';

  it('the run decides by its own summary, before or after it', () => {
    expect(judge('cat ci.log; npm test | tail -4', red + green)).toMatchObject({ outcome: 'pass', confidence: 0.7 });
    expect(judge('npm test | tail -4 && cat ci.log', green + red)).toMatchObject({ outcome: 'pass', confidence: 0.7 });
    expect(judge('cat ci.log; npm test | tail -4', green + red)).toMatchObject({ outcome: 'fail', confidence: 0.7 });
  });

  it('a run that shows nothing is not judged by the log', () => {
    expect(judge('npm test > own.txt 2>&1; cat ci.log', red)).toMatchObject({ outcome: 'unknown', confidence: 0.3 });
    expect(judge('npm test > own.txt 2>&1; cat own.txt', red)).toMatchObject({ outcome: 'fail' });
  });

  it("a task runner's failure in the log is not the run's", () => {
    const log = '##[error]Process completed with exit code 1.\n';
    expect(judge('npm test | head -9; cat ci.log', green + log)).toMatchObject({ outcome: 'pass' });
  });
});

it('the rounds of a loop whose ends are trimmed do not prove a pass', () => {
  const stdout = '2 runs, 2 assertions, 0 failures, 0 errors, 0 skips\n';
  for (const loop of ['for f in test/*_test.rb; do ruby $f | tail -2; done', 'ls test/* | xargs -n1 m | tail -2'])
    expect(judge(loop, stdout).confidence).toBeLessThan(DECISIVE);
});

it.each([
  ['npx jasmine', '1 spec, 1 failure\n', 0, 1],
  [
    'npx vitest run --reporter=tap',
    'TAP version 13\n1..1\nnot ok 1 - a.test.js {\n    1..2\n    ok 1 - floats\n    not ok 2 - sinks\n}\n',
    1,
    1,
  ],
])('%s prints %j: %i passed, %i failed', (command, stdout, passed, failed) => {
  expect(judge(command, stdout, 1)).toMatchObject({ outcome: 'fail', passed, failed });
});

it.each([
  [
    'error',
    'npx concurrently "npm:a" "npm:b" 2>&1 | tail -5',
    '[b] npm run b exited with code 1\n[a] ℹ tests 2\n[a] ℹ pass 2\n[a] ℹ fail 0\n[a] npm run a exited with code SIGTERM\n',
  ],
  ['fail', 'tox 2>&1 | tail -2', '___ summary ___\nERROR:   py3: commands failed\n'],
  [
    'unknown',
    'cargo test 2>&1 | tail -4',
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n',
  ],
])('it is %s, and no pass: %s', (outcome, command, stdout) => {
  expect(judge(command, stdout)).toMatchObject({ outcome });
});

it('what a program prints that nothing caught an error is an error', () => {
  for (const stdout of [
    '    at Array.reduce (<anonymous>)\n\nNode.js v20.20.2\n',
    '    at _load (/a/jasmine/lib/jasmine.js:9:7)\n',
  ])
    expect(judge('npx jasmine 2>&1 | tail -4', stdout)).toMatchObject({ outcome: 'error', confidence: 0.6 });
});

it('an attribute of a report that counts failures is a failure', () => {
  const command = 'pytest --junitxml=o.xml >/dev/null; grep -o "failures=.[0-9]*." o.xml';
  expect(judge(command, 'failures="4"\n')).toMatchObject({ outcome: 'fail' });
  expect(judge(command, 'failures="0"\n')).toMatchObject({ outcome: 'pass' });
});

describe('words of an unknown program', () => {
  it('are a hint where they are about tests', () => {
    for (const run of [
      judge('node scripts/pier.js', 'Tests: 3 failed, 10 passed\n', 1),
      judge('node scripts/pier.js', '✓ floats\n✗ sinks\n1 passed, 1 failed\n', 1),
      judge('build/verify-pier', '3 failed, 10 passed\n', 1),
    ]) {
      expect(run).toMatchObject({ outcome: 'fail' });
      expect(run.confidence).toBeLessThanOrEqual(0.6);
    }
  });

  it.each([
    ['npm run db:seed', '3 failed, 10 passed\n'],
    ['./deploy.sh', 'host-2: FAILED\n3 failed, 10 passed\n'],
    ['python backup.py', '12 files ok, 2 failed\n'],
    ['python health.py', 'api: FAILED\n1 of 2 checks failed\n'],
    ['pnpm run nothing', '  × Missing script: nothing\n'],
  ])('are nothing where hosts, files or rows are counted: %s', (command, stdout) => {
    expect(judge(command, stdout, 1)).toMatchObject({ outcome: 'not-a-test' });
  });
});

describe('silence is not a pass', () => {
  it.each([
    ['node test/plain.js', ''],
    ['python -m doctest lib.py', ''],
    ['bash tests/quiet.sh', 'starting\n'],
    ['npm test', '\n> quay@0.1.0 test\n> node all.js\n\n'],
    ['npx vitest run | tail -1', '   Duration  1.2s\n'],
    ['node --test | head -4', 'TAP version 13\nok 1 - floats\n'],
  ])('%s: %j', (command, stdout) => {
    expect(judge(command, stdout)).toMatchObject({ outcome: 'unknown', passed: null, failed: null });
  });

  it('but a known runner whose words went to a file passed by its exit code, or by what the command printed of it', () => {
    expect(judge('pytest -q > log.txt', '')).toMatchObject({ outcome: 'pass' });
    expect(judge('npm test > /dev/null && echo GOOD || echo BAD', 'GOOD\n')).toMatchObject({ outcome: 'pass' });
  });
});

describe('what a filter leaves is evidence', () => {
  it.each([
    ['npx jest 2>&1 | grep -oE "[0-9]+ failed" | tail -1', '1 failed\n'],
    ['python run_tests.py | tail -1', '2/3 passed\n'],
    ['./tests/all.sh | tail -1', 'Total: 2  Failures: 1\n'],
    ['perl t/boat.t 2>&1 | tail -1', '# Looks like you failed 1 test of 2.\n'],
    ['pytest 2>&1 | grep "^E "', 'E       assert 1 == 2\n'],
    ['python -m doctest boat.py | head -3', 'Failed example:\n    f(1)\n'],
    ['npx vitest run | grep AssertionError', 'AssertionError: expected 1 to be 2\n'],
    ['pytest --junitxml=r.xml > log; python show.py', "{'failures': '1', 'tests': '2', 'time': '0.1'}\n"],
    ['rspec -f j | head -c 90', '{"examples":[{"description":"is","status":"failed","file_path":"a"'],
    ['rake spec 2>&1 | tail -2', 'Command failed with status (1): [rspec spec/a_spec.rb...]\n(See full trace)\n'],
    ['pnpm test 2>&1 | tail -1', '[ELIFECYCLE] Test failed. See above for more details.\n'],
  ])('%s', (command, stdout) => {
    expect(judge(command, stdout)).toMatchObject({ outcome: 'fail' });
  });

  it.each([
    ['make test 2>&1 | tail -1', 'make: *** [Makefile:2: test] Segmentation fault\n'],
    ['perl t/boat.t 2>&1 | tail -1', '# Looks like your test exited with 255 just after 1.\n'],
    ['bash tests/boat.sh 2>&1 | cat', '1..3\nok 1 floats\n'],
    [
      'cargo test 2>&1 | grep -v running',
      'test result: ok. 0 passed; 0 failed; 0 ignored;\nerror: could not compile `boat`\n',
    ],
  ])('also of what could not run to its end: %s', (command, stdout) => {
    expect(judge(command, stdout)).toMatchObject({ outcome: 'error' });
  });

  it('a failure of one binary outranks the empty summary of another', () => {
    const stdout =
      'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\nerror: test failed, to rerun pass `--lib`\n';
    expect(judge('cargo test 2>&1 | tail -3', stdout)).toMatchObject({ outcome: 'fail' });
  });
});

it('a script that the same command writes is followed to what it runs', () => {
  const shell = "cat > all.sh <<'END'\nnpx jest\nEND\nsh all.sh";
  expect(judge(shell, 'Tests:       1 failed, 1 total\n', 1)).toMatchObject({ outcome: 'fail', confidence: 0.97 });
  const python = 'cat > all.py <<END\nimport subprocess\nsubprocess.call(["pytest", "-q"])\nEND\npython all.py';
  expect(judge(python, '1 failed, 1 passed in 0.10s\n')).toMatchObject({ outcome: 'fail', framework: 'pytest' });
});
