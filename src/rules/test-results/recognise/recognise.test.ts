import { describe, expect, it } from 'vitest';
import type { ScriptLookup } from '../api.ts';
import { recognise } from './recognise.ts';

/** Framework of each test run in a command; `*` for any, `?` for a program that only may run tests. */
function runsIn(command: string, scripts?: ScriptLookup): readonly string[] {
  return recognise(command, scripts).steps.map(({ certainty, framework }) =>
    certainty === 'maybe' ? '?' : (framework ?? '*'),
  );
}

describe('test runs', () => {
  it.each([
    ['npx jest --ci', ['jest']],
    ['CI=1 npx --yes vitest@3 run src', ['vitest']],
    ['./node_modules/.bin/mocha', ['mocha']],
    ['node node_modules/jest/bin/jest.js', ['jest']],
    ['node --test src', ['node:test']],
    ['node src/tax.test.js', ['*']],
    ['pnpm exec playwright test', ['playwright']],
    ['yarn ava', ['ava']],
    ['npx nyc --reporter text mocha', ['mocha']],
    ['npx cross-env NODE_ENV=test jest', ['jest']],
    ['python3 -m pytest -q', ['pytest']],
    ['poetry run pytest', ['pytest']],
    ['uv run --with coverage pytest', ['pytest']],
    ['coverage run -m unittest discover', ['unittest']],
    ['python manage.py test shop', ['django']],
    ['python tests/test_tax.py', ['*']],
    ['hatch run test', ['*']],
    ['tox -e py311', ['*']],
    ['timeout 60 go test ./...', ['go']],
    ['cargo nextest run', ['cargo']],
    ['bundle exec rspec spec', ['rspec']],
    ['bin/rails test', ['rails']],
    ['rake', ['*']],
    ['php artisan test', ['phpunit']],
    ['vendor/bin/phpunit', ['phpunit']],
    ['./gradlew :app:testDebugUnitTest', ['gradle']],
    ['mvn -q verify', ['maven']],
    ['dotnet test --no-build', ['dotnet']],
    ['cd build && ctest --output-on-failure', ['ctest']],
    ['make -C lib check', ['*']],
    ['npx turbo run test --filter=web', ['*']],
    ['npm run test:unit -- --run', ['*']],
    ['yarn workspaces foreach -A run test', ['*']],
    ['pnpm -r test', ['*']],
    ['bash -lc "cd api && npm test"', ['*']],
    ["sh -c 'npx jest && npx playwright test'", ['jest', 'playwright']],
    ['docker compose run --rm web npm test', ['*']],
    ['docker exec app-1 pytest -x', ['pytest']],
    ["ssh build 'cd app && go test ./...'", ['go']],
    ['for d in a b; do (cd $d && npx jest); done', ['jest']],
    ['out=$(npx jest 2>&1); echo "$out" | tail -3', ['jest']],
    ['find . -name "*_test.py" | xargs python3 -m pytest', ['pytest']],
    ['bash <<EOF\nnpx jest\nEOF', ['jest']],
    ['run() { npx jest "$@"; }; run src', ['jest']],
    ['parallel -j 2 --tag npx mocha ::: cart.js till.js', ['mocha']],
    ['find spec -name "*_spec.rb" -exec rspec {} +', ['rspec']],
    ['while ! npx vitest run; do sleep 1; done', ['vitest']],
    ['ruby -Ilib -Itest -e \'Dir.glob("./test/**/test_*.rb").each { |f| require f }\'', ['*']],
    ['ruby -Itest test/cart_test.rb', ['*']],
    ['cargo nextest run --no-fail-fast', ['cargo']],
  ] as const)('%s', (command, runs) => {
    expect(runsIn(command)).toEqual(runs);
  });
});

describe('no test runs', () => {
  it.each([
    'cat jest.log',
    'grep -rn "FAIL" src | head',
    'git log -p -3',
    'git show HEAD:test/tax.test.js',
    'npx eslint . && npx tsc --noEmit',
    'npm install --save-dev jest',
    'npm ls vitest',
    'npx jest --listTests',
    'pytest --collect-only -q',
    'poetry run pytest --collect-only',
    'npx vitest list',
    'go test -h',
    'cargo build --tests',
    'mvn -DskipTests install',
    'make -n test',
    'node -e "require(\'jest\')"',
    'python3 -c "import pytest"',
    'bash -n tests/run.sh',
    'test -f package.json',
    'echo "npm test"',
    'rm -rf tests/out && mkdir tests/out',
    'sed -n 1,20p tests/run.sh',
    'git commit --no-verify -m "test: more"',
    'docker logs app-1',
    'kubectl logs deploy/tests',
    'npm audit',
    'go test -c -o cart.bin ./cart',
    'go test -help',
    'pytest --cache-show="cart/*"',
    'tox -l',
    'tox list',
    'nox -l',
    'npx turbo run test --dry=json',
    'npx nx run-many -t test --graph',
    'ruby -e "puts 1 + 1"',
    'zcat old/jest.log.gz',
    'find . -name "*.test.js"',
  ])('%s', (command) => {
    expect(runsIn(command)).toEqual([]);
  });

  it('programs of the project may be some', () => {
    expect(runsIn('./build/unit')).toEqual(['?']);
    expect(runsIn('npm run verify')).toEqual(['?']);
    expect(runsIn('git push origin main')).toEqual(['?']);
    expect(runsIn('npm run test:db:setup')).toEqual(['?']);
  });
});

it('words that every object has are words like any other', () => {
  for (const word of ['constructor', '__proto__', 'npm toString', 'yarn valueOf', 'go constructor'])
    expect(() => runsIn(word)).not.toThrow();
});

describe('names of the project', () => {
  const packages: Readonly<Record<string, string>> = {
    './test': 'npm run unit && npm run lint',
    './unit': 'vitest run',
    './lint': 'eslint .',
    'web/test': 'jest || true',
    './loop': 'npm run loop',
  };
  const scripts: ScriptLookup = {
    packageScript: (folder, name) => packages[`${folder}/${name}`] ?? null,
    makeTarget: (folder, name) => (`${folder}/${name}` === './verify' ? '@go test ./...' : null),
  };

  it('are looked up, scripts within scripts too', () => {
    expect(runsIn('npm test', scripts)).toEqual(['vitest']);
    expect(runsIn('yarn lint', scripts)).toEqual([]);
    expect(runsIn('make verify', scripts)).toEqual(['go']);
  });

  it('are looked up where the command is', () => {
    expect(runsIn('cd web && npm test', scripts)).toEqual(['jest']);
    expect(runsIn('npm --prefix web test', scripts)).toEqual(['jest']);
    expect(runsIn('cd .. && npm test', scripts)).toEqual(['*']);
  });

  it('that call themselves come to an end', () => {
    expect(runsIn('npm run loop', scripts).length).toBeLessThan(400);
  });
});

describe('an exit code of 0', () => {
  const proven = (command: string) => {
    const { steps, exit } = recognise(command);
    return steps.map((_, index) => !exit.inverted && exit.proves.has(index));
  };

  it.each([
    ['npx jest', [true]],
    ['cd web && npx jest', [true]],
    ['npx jest && npx mocha', [true, true]],
    ['npx jest; npx mocha', [false, true]],
    ['set -e; npx jest; npx mocha', [true, true]],
    ['npx jest | tail -5', [false]],
    ['set -o pipefail; npx jest | tail -5', [true]],
    ['npx jest || true', [false]],
    ['npx jest || exit 1; echo done', [true]],
    ['npx jest; echo done', [false]],
    ['! npx jest', [false]],
    ['npx jest; rc=$?; echo "$rc"; exit $rc', [true]],
    ['if ! npx jest; then exit 1; fi', [true]],
    ['npx jest &', [false]],
    ['(cd web; npx jest)', [true]],
    ['for i in 1 2; do npx jest; done', [false]],
  ] as const)('%s', (command, runs) => {
    expect(proven(command)).toEqual(runs);
  });
});

it('knows what may run many times', () => {
  const repeated = (command: string) => recognise(command).steps.map((step) => step.repeated);
  expect(repeated('npx jest')).toEqual([false]);
  expect(repeated('for d in a b; do npx jest $d; done')).toEqual([true]);
  expect(repeated('ls -d */ | xargs -n 1 npx jest')).toEqual([true]);
  expect(repeated('until npx jest; do :; done; npx mocha')).toEqual([true, false]);
});

it('knows when an older run may be shown beside', () => {
  const mixed = (command: string) => recognise(command).mixed;
  expect(mixed('cat old.log; npx jest')).toBe(true);
  expect(mixed('npx jest > new.log; tail -5 new.log')).toBe(false);
  expect(mixed('npx eslint . ; npx jest')).toBe(false);
});

it('knows how much of the output arrives', () => {
  const seen = (command: string) => recognise(command).steps.map((step) => step.seen);
  expect(seen('npx jest 2>&1 | tee log.txt')).toEqual(['all']);
  expect(seen('npx jest | tail -5')).toEqual(['part']);
  expect(seen('npx jest | grep FAIL | head -5')).toEqual(['start']);
  expect(seen('npx jest 2>/dev/null')).toEqual(['part']);
  expect(seen('npx jest > /dev/null 2>&1')).toEqual(['nothing']);
  expect(seen('npx jest > log.txt 2>&1; tail log.txt')).toEqual(['part']);
});
