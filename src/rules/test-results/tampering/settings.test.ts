import { describe, expect, it, test } from 'vitest';
import { findTampering } from './find-tampering.ts';

function found(path: string, before: string | null, after: string | null): readonly string[] {
  return findTampering([{ path, before, after }]).map(({ severity, kind }) => `${severity} ${kind}`);
}

const manifest = (scripts: Record<string, string>) => JSON.stringify({ name: 'x', scripts }, null, 2);
const scripts = { test: 'vitest run', lint: 'eslint . --max-warnings 0', types: 'tsc --noEmit', start: 'node .' };

describe('check scripts', () => {
  it.each([
    ['hide a failure', { test: 'vitest run || true' }],
    ['end early', { test: 'exit 0 && vitest run' }],
    ['are an echo', { test: 'echo "all is fine"' }],
    ['skip hooks', { test: 'vitest run && git push --no-verify' }],
    ['leave tests out', { test: 'vitest run && pytest -k "not slow"' }],
    ['record snapshots', { test: 'vitest run -u' }],
  ])('are seen when they %s', (_, changed) => {
    expect(found('package.json', manifest(scripts), manifest({ ...scripts, ...changed }))).toEqual([
      'high check-neutralised',
    ]);
  });

  it('are seen when nothing serves their purpose any more, even if something still calls them', () => {
    const { types: _, ...rest } = scripts;
    const before = manifest({ ...scripts, qa: 'npm run lint && npm run types' });
    expect(found('package.json', before, manifest({ ...rest, qa: 'npm run lint && npm run types' }))).toEqual([
      'high check-neutralised',
    ]);
  });

  it('may change their tool, their name and what they run first', () => {
    const { lint: _, ...rest } = scripts;
    const after = {
      ...rest,
      pretest: 'npm run lint:all',
      'lint:all': 'biome check --error-on-warnings',
      test: 'mocha --recursive',
    };
    expect(found('packages/a/package.json', manifest({ ...scripts, lint: 'eslint .' }), manifest(after))).toEqual([
      'low check-neutralised',
    ]);
    expect(found('package.json', manifest(scripts), manifest({ ...scripts, start: 'node . || true' }))).toEqual([]);
  });

  it('are read from make, just and tox as well', () => {
    expect(found('Makefile', 'test:\n\tgo test ./...\n', 'test:\n\tgo test ./... || true\n')).toEqual([
      'high check-neutralised',
    ]);
    expect(found('Makefile', 'test:\n\tnpm test\n', 'test:\n\t@npm test\n')).toEqual([]);
    expect(found('justfile', 'lint:\n  ruff check .\n', 'lint:\n  ruff check . --exit-zero\n')).toEqual([
      'high check-neutralised',
    ]);
    expect(
      found('tox.ini', '[testenv]\ncommands =\n  pytest\n', '[testenv]\ncommands =\n  pytest --deselect tests/a.py\n'),
    ).toEqual(['high check-neutralised']);
  });
});

it.each([
  ['always succeed', 'scripts/check.sh', 'set -e\nexit 0\n', ['high check-neutralised']],
  ['end early', 'scripts/check.sh', 'set -e\nexit 0\nnpm test\n./compare\n', ['high check-neutralised']],
  ['run no tests', 'all.sh', 'set -e\n./compare\n', ['high check-neutralised']],
  ['do more', 'check.sh', 'set -eu\n# all\nrm -f x || true\nnpm test\n./compare --strict\n', []],
])('shell scripts that %s', (_, path, after, expected) => {
  expect(found(path, '#!/bin/sh\nset -e\nnpm test\n./compare\n', `#!/bin/sh\n${after}`)).toEqual(expected);
});

it('a shell script that checks nothing may change at will', () => {
  expect(found('scripts/deploy.sh', 'rsync a b\n', 'rsync a b || true\nexit 0\n')).toEqual([]);
});

describe('thresholds', () => {
  it.each([
    ['jest.config.js', 'module.exports = { branches: 90 }', 'module.exports = { branches: 70 }'],
    ['pyproject.toml', 'fail_under = 92\n', 'fail_under = 80\n'],
    ['.coveragerc', '[report]\nfail_under = 92\n', '[report]\n'],
    ['pom.xml', '<minimum>0.90</minimum>', '<minimum>0.50</minimum>'],
    ['codecov.yml', 'target: 90%\n', 'target: 60%\n'],
    ['stryker.conf.json', '{"thresholds": {"break": 80}}', '{"thresholds": {"break": 10}}'],
    ['package.json', manifest(scripts), manifest({ ...scripts, lint: 'eslint . --max-warnings 50' })],
    [
      'a.test.ts',
      "it('is pi', () => expect(pi()).toBeCloseTo(3.14, 5));",
      "it('is pi', () => expect(pi()).toBeCloseTo(3.14, 1));",
    ],
    [
      'test_a.py',
      'def test_pi():\n    assert pi() == approx(3.14, rel=1e-6)\n',
      'def test_pi():\n    assert pi() == approx(3.14, rel=0.1)\n',
    ],
  ])('of %s are seen when they get looser, and only then', (path, strict, loose) => {
    expect(found(path, strict, loose)).toEqual(['high threshold-loosened']);
    expect(found(path, loose, strict)).toEqual([]);
  });

  it('are worth a look when tests get more time or more attempts', () => {
    expect(found('vitest.config.ts', 'retry: 0, testTimeout: 5000', 'retry: 3, testTimeout: 5000')).toEqual([
      'low threshold-loosened',
    ]);
    expect(found('vitest.config.ts', 'testTimeout: 5000', 'testTimeout: 6000')).toEqual([]);
    expect(found('vitest.config.ts', 'testTimeout: 5000', 'testTimeout: 60000')).toEqual(['low threshold-loosened']);
  });
});

describe('settings and silencers', () => {
  it.each([
    [
      'tsconfig.json',
      '{ "noImplicitReturns": true }',
      '{ "noImplicitReturns": true, "strictNullChecks": false }',
      'high',
    ],
    ['tsconfig.json', '{ }', '{ "skipLibCheck": true }', 'low'],
    ['pom.xml', '<p></p>', '<p><testFailureIgnore>true</testFailureIgnore></p>', 'high'],
    ['pytest.ini', '[pytest]\n', '[pytest]\naddopts = --ignore=tests/slow\n', 'high'],
    ['src/a.ts', 'run();\n', '/* eslint-disable */\nrun();\n', 'high'],
    ['src/a.ts', 'run();\n', '// @ts-nocheck\nrun();\n', 'high'],
    ['src/a.py', 'run()\n', '# flake8: noqa\nrun()\n', 'high'],
    ['src/lib.rs', 'fn run() {}\n', '#![allow(warnings)]\nfn run() {}\n', 'high'],
    ['src/b.ts', null, '/* eslint-disable */\nrun();\n', 'low'],
  ])('of %s are seen', (path, before, after, severity) => {
    expect(found(path, before, after)).toEqual([`${severity} check-neutralised`]);
  });

  it('are not confused with text about them, or with one rule', () => {
    expect(found('src/a.ts', '', "const hint = '/* eslint-disable */';\n")).toEqual([]);
    expect(found('src/a.ts', '', '/* eslint-disable no-console */\n')).toEqual([]);
  });
});

const workflow = `name: Build
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - name: Run tests
        run: npm test
      - run: npm run lint
`;

describe('CI files', () => {
  const file = '.github/workflows/build.yml';

  it('are worth a look when they change, and nothing when only a comment does', () => {
    expect(found(file, workflow, workflow.replace('@v4', '@v5'))).toEqual(['low ci-changed']);
    expect(found(file, workflow, `# Build\n${workflow}`)).toEqual([]);
  });

  it('alarm when they run less or hide a failure', () => {
    expect(found(file, workflow, workflow.replace('        run: npm test\n', ''))).toEqual(['high check-neutralised']);
    expect(found(file, workflow, workflow.replace('npm test', 'npm test || true'))).toContain('high check-neutralised');
    expect(
      found(file, workflow, workflow.replace('run: npm test', 'run: npm test\n        continue-on-error: true')),
    ).toContain('high check-neutralised');
  });

  it('alarm when they are deleted, not when they move', () => {
    expect(found(file, workflow, null)).toEqual(['high ci-changed']);
    expect(
      findTampering([
        { path: file, before: workflow, after: null },
        { path: '.github/workflows/ci.yml', before: null, after: workflow },
      ]).map(({ severity }) => severity),
    ).toEqual(['low']);
  });
});

describe('snapshots', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');

  it('are worth a look when they are deleted or rewritten as a whole', () => {
    expect(found('src/__snapshots__/a.test.ts.snap', lines, null)).toEqual(['low snapshot-changed']);
    expect(found('src/__snapshots__/a.test.ts.snap', lines, lines.replaceAll('line', 'row'))).toEqual([
      'low snapshot-changed',
    ]);
    expect(found('src/__snapshots__/a.test.ts.snap', lines, lines.replace('line 7', 'line seven'))).toEqual([]);
  });
});

describe('attributes', () => {
  const attributes = (after: string, before: string | null = '*.md text\n') =>
    findTampering([{ path: '.gitattributes', before, after }]).map(({ line, kind }) => `${line} ${kind}`);

  test.each(['*.js -diff', 'src/** binary', 'src/pay.ts  linguist-generated=true', 'a.js text diff=lfs', '/x -text'])(
    'files that differences no longer show are told to the reviewer: %s',
    (line) => {
      expect(attributes(`*.md text\n${line}\n`)).toEqual(['2 hidden-from-diff']);
      expect(attributes(`${line}\n`, null)).toEqual(['1 hidden-from-diff']);
    },
  );

  test.each(['*.png binary', '*.woff2 -diff', '# *.js -diff', '*.js text eol=lf', '*.js diff', '[attr]mine -diff'])(
    'what hides nothing that could be read is not: %s',
    (line) => {
      expect(attributes(`*.md text\n${line}\n`)).toEqual([]);
    },
  );

  test('what was hidden before is no finding, and neither is showing it again', () => {
    expect(attributes('*.js -diff\n*.md text\n', '*.js -diff\n')).toEqual([]);
    expect(attributes('*.md text\n', '*.js -diff\n')).toEqual([]);
  });
});
