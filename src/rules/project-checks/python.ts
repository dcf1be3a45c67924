import { type Check, has, type ProjectFiles, Rank, says } from './files.ts';

const PROJECT = 'pyproject.toml';
const WISHES = [PROJECT, 'requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'Pipfile'];

/** How programs of the project's environment are started, by what tells which one manages it. */
const PREFIXES: readonly { readonly is: (files: ProjectFiles) => boolean; readonly prefix: string }[] = [
  { is: (files) => has(files, 'uv.lock'), prefix: 'uv run ' },
  { is: (files) => has(files, 'poetry.lock') || says(files, /^\[tool\.poetry\b/m, PROJECT), prefix: 'poetry run ' },
  { is: (files) => has(files, 'pdm.lock'), prefix: 'pdm run ' },
  { is: (files) => has(files, 'pixi.lock', 'pixi.toml'), prefix: 'pixi run ' },
  { is: (files) => has(files, 'Pipfile'), prefix: 'pipenv run ' },
  { is: (files) => says(files, /^\[tool\.hatch\.envs\b/m, PROJECT), prefix: 'hatch run ' },
];

/** Tools that judge without running the code. */
const TOOLS: readonly {
  readonly rank: Check['rank'];
  readonly run: string;
  readonly is: (files: ProjectFiles) => boolean;
}[] = [
  {
    rank: Rank.lint,
    run: 'ruff check .',
    is: (files) =>
      has(files, 'ruff.toml', '.ruff.toml') || says(files, /^\[tool\.ruff\b/m, PROJECT) || wants(files, 'ruff'),
  },
  {
    rank: Rank.lint,
    run: 'flake8',
    is: (files) =>
      has(files, '.flake8') || says(files, /^\[flake8\]/m, 'setup.cfg', 'tox.ini') || wants(files, 'flake8'),
  },
  {
    rank: Rank.types,
    run: 'mypy .',
    is: (files) =>
      has(files, 'mypy.ini', '.mypy.ini') ||
      says(files, /^\[(tool\.)?mypy\b/m, PROJECT, 'setup.cfg', 'tox.ini') ||
      wants(files, 'mypy'),
  },
  {
    rank: Rank.types,
    run: 'pyright',
    is: (files) =>
      has(files, 'pyrightconfig.json') || says(files, /^\[tool\.pyright\b/m, PROJECT) || wants(files, 'pyright'),
  },
];

/** A dependency of that name, in whatever group: `"ruff>=0.5"`, `ruff = "*"`, or a line of its own. */
function wants(files: ProjectFiles, name: string): boolean {
  return says(files, new RegExp(`(?:^|["'])${name}(?![\\w.-])`, 'm'), ...WISHES);
}

/** Checks of a Python project. tox and nox try several Pythons: only where nothing says how to test with one. */
export function pythonChecks(files: ProjectFiles): readonly Check[] {
  const prefix = PREFIXES.find(({ is }) => is(files))?.prefix ?? '';
  const tools = TOOLS.filter(({ is }) => is(files)).map(({ rank, run }) => ({ rank, command: prefix + run }));
  const test = testCommand(files, prefix);
  return test === null ? tools : [...tools, { rank: Rank.test, command: test }];
}

function testCommand(files: ProjectFiles, prefix: string): string | null {
  if (has(files, 'manage.py') && !usesPytest(files)) return `${prefix}python manage.py test`;
  if (usesPytest(files)) return `${prefix}pytest`;
  if (has(files, 'noxfile.py')) return `${prefix}nox`;
  if (says(files, /^\[tox\b/m, 'tox.ini', 'setup.cfg') || says(files, /^\[tool\.tox\b/m, PROJECT))
    return `${prefix}tox`;
  const isPython = has(files, PROJECT, 'setup.py', 'setup.cfg', 'requirements.txt');
  return isPython && has(files, 'tests', 'test') ? `${prefix}python -m unittest` : null;
}

function usesPytest(files: ProjectFiles): boolean {
  return (
    has(files, 'pytest.ini', '.pytest.ini', 'conftest.py') ||
    says(files, /\bpytest\b/, ...WISHES) ||
    says(files, /^\[(tool:)?pytest\]/m, 'setup.cfg', 'tox.ini')
  );
}
