import { expect, test } from 'vitest';
import { isCheckCommand, isCommandLine } from './check-command.ts';

test.each([
  ...['npm test', 'npm run typecheck', 'pnpm lint', 'yarn test:unit', 'bun test', 'npx vitest run src/a.test.ts'],
  ...[
    'npx tsc --noEmit',
    'cargo clippy -- -D warnings',
    'go test ./...',
    'pytest -q',
    'python -m pytest tests',
    'uv run ruff check',
  ],
  ...[
    'make check',
    './gradlew test',
    'mvn -q verify',
    'dotnet test',
    'bundle exec rspec',
    'CI=1 npm test',
    'cd app && npm test',
  ],
  ...[
    'npm test && npm run lint',
    'pnpm --filter web test',
    'cargo fmt --check',
    'prettier --check .',
    './vendor/bin/phpunit',
  ],
])('"%s" is a check', (command) => {
  expect(isCheckCommand(command)).toBe(true);
});

test.each([
  ...[
    'npm run dev',
    'npm start',
    'curl localhost:3000',
    'npm test | tail',
    'npm run test:watch',
    'vitest --watch',
    'eslint --fix .',
  ],
  ...[
    'npm test passes',
    'Test the login',
    'test',
    'make',
    'cd /srv/app && npm test',
    'npm test -- <file>',
    'rm -rf build',
    'npm install',
  ],
  ...['npm test &', 'echo $(npm test)', 'git push && npm test', 'npm run format:write', 'check that it works', ''],
])('"%s" is none', (command) => {
  expect(isCheckCommand(command)).toBe(false);
});

test.each([
  'npm run build + preview manual 375/768/1280',
  'dotnet build PASS. Register/Login works.',
  'cargo test, cargo clippy',
  'npm test suite green',
  'pytest (all of it)',
  'npm test \u901a\u8fc7',
  'make check the output',
])('"%s" is prose', (text) => {
  expect([isCheckCommand(text), isCommandLine(text)]).toEqual([false, false]);
});

test.each([
  'python tools/check.py',
  './check.sh',
  'npm test -- --grep "x, y" && echo ok',
  'grep -q "mode" src/a.ts',
  'CGO_ENABLED=0 go build ./... && go test ./...',
  'git diff --check',
  'npm test 2>&1 | tail -5',
])('"%s" is a command where commands stand', (text) => {
  expect(isCommandLine(text)).toBe(true);
});

test.each([
  'curl localhost:3000',
  'rm -rf build',
  'npm run dev',
  'node /srv/x.js',
  'echo x > file',
  'python <script>',
  'Run the tests',
  'npm install',
])('"%s" is none even there', (text) => {
  expect(isCommandLine(text)).toBe(false);
});
