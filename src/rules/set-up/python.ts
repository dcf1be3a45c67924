import { type Family, type Folder, type Found, joined } from './folder.ts';

const PROJECT = 'pyproject.toml';

/** Lists of what checks need, where a project has them. A lock of versions (`constraints.txt`) is named by these. */
const LISTS: readonly string[] = [
  'requirements.txt',
  ...['dev', 'test', 'tests', 'testing', 'ci', 'lint'].flatMap((use) => [
    `requirements-${use}.txt`,
    `requirements_${use}.txt`,
    `${use}-requirements.txt`,
    `${use}_requirements.txt`,
    `requirements/${use}.txt`,
  ]),
];
/** Where there is none of {@link LISTS}. */
const OTHER_LISTS: readonly string[] = ['requirements/requirements.txt', 'requirements/base.txt'];

/** Extras and groups that checks need, where a project has them. */
const FOR_CHECKS = ['dev', 'develop', 'development', 'test', 'tests', 'testing', 'lint', 'typing'];

const OTHER_TOOLS = ['pdm.lock', 'Pipfile', 'Pipfile.lock', 'pixi.lock'];

const VENV = { path: ['.venv/bin'] } as const;

export const PYTHON: Family = {
  own: [
    PROJECT,
    'setup.py',
    'setup.cfg',
    'uv.lock',
    'uv.toml',
    'poetry.lock',
    'poetry.toml',
    'requirements*.txt',
    '*requirements.txt',
    'requirements/*.txt',
    'constraints*.txt',
    'pip.conf',
    ...OTHER_TOOLS,
  ],
  upward: ['.python-version', '.tool-versions', 'mise.toml', '.mise.toml'],
  members: [PROJECT],
  find(folder) {
    if (folder.has('uv.lock') && folder.has(PROJECT)) return uv();
    if (folder.has('poetry.lock') && folder.has(PROJECT)) return poetry(true);
    // What other tools lock (pdm, pipenv) is theirs: the person says how.
    if (folder.has(...OTHER_TOOLS)) return null;
    const sections = sectionsOf(folder);
    if (sections.has('tool.poetry')) return poetry(false);
    return pip(folder, sections);
  },
};

function uv(): Found {
  return {
    ...VENV,
    tool: 'uv',
    locked: true,
    command: 'uv sync --frozen --no-progress',
    env: { UV_NO_SYNC: '1', UV_PYTHON_INSTALL_DIR: '{deps}/uv/python' },
    // A copy: by a link a check could write into the cache.
    setUpEnv: { UV_CACHE_DIR: '{cache}/uv', UV_LINK_MODE: 'copy' },
  };
}

function poetry(locked: boolean): Found {
  return {
    ...VENV,
    tool: 'poetry',
    locked,
    command: 'poetry install --no-interaction --no-ansi',
    env: { POETRY_VIRTUALENVS_CREATE: 'true', POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
    setUpEnv: { POETRY_CACHE_DIR: '{cache}/poetry' },
  };
}

function pip(folder: Folder, sections: ReadonlyMap<string, string>): Found | null {
  const first = LISTS.filter((name) => folder.has(name));
  const lists = first.length > 0 ? first : OTHER_LISTS.filter((name) => folder.has(name)).slice(0, 1);
  const groups = FOR_CHECKS.filter((name) => keysOf(sections.get('dependency-groups')).has(name));
  // Beside a list of packages `[project]` alone is often no more than a name: many such folders cannot be built.
  const built = sections.has('project') && (sections.has('build-system') || lists.length === 0);
  const isPackage = built || folder.has('setup.py');
  const words = [
    ...(isPackage ? [`-e '.${extrasOf(folder, sections)}'`] : []),
    ...lists.map((name) => `-r ${name}`),
    ...groups.map((name) => `--group ${name}`),
  ];
  if (words.length === 0) return null;
  const install = '.venv/bin/python -m pip install -q';
  return {
    ...VENV,
    tool: 'pip',
    locked: false,
    // The pip of older Pythons does not know groups.
    command: `python3 -m venv .venv${groups.length > 0 ? ` && ${install} -U pip` : ''} && ${install} ${words.join(' ')}`,
    setUpEnv: { PIP_CACHE_DIR: '{cache}/pip', PIP_NO_INPUT: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    extra: referenced(folder, lists),
  };
}

/** `[dev,test]`, of those that the project has. */
function extrasOf(folder: Folder, sections: ReadonlyMap<string, string>): string {
  const cfg = /^\[options\.extras_require\]([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(folder.text('setup.cfg'))?.[1];
  const has = new Set([...keysOf(sections.get('project.optional-dependencies')), ...keysOf(cfg)]);
  const extras = FOR_CHECKS.filter((name) => has.has(name));
  return extras.length === 0 ? '' : `[${extras.join(',')}]`;
}

/** The text of each section of `pyproject.toml`. */
function sectionsOf(folder: Folder): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  let at = '';
  for (const line of folder.text(PROJECT).split(/\r?\n/)) {
    const name = /^\[([\w.-]+)\][ \t]*(?:#.*)?$/.exec(line)?.[1];
    at = name ?? at;
    sections.set(at, name === undefined ? `${sections.get(at) ?? ''}${line}\n` : '');
  }
  return sections;
}

function keysOf(section = ''): ReadonlySet<string> {
  return new Set([...section.matchAll(/^["']?([\w-]+)["']?[ \t]*=/gm)].map(([, key = '']) => key));
}

/** Files that lists name (`-r base.txt`, `-c ../constraints.txt`), also by way of each other. */
function referenced(folder: Folder, lists: readonly string[]): readonly string[] {
  const found = new Set(lists);
  for (const name of found) {
    const base = name.split('/').slice(0, -1).join('/');
    for (const [, file = ''] of folder
      .text(name)
      .matchAll(/^(?:-[rc]|--(?:requirement|constraint))[ \t=]*([^\s#]+)/gm)) {
      const path = joined(base, file);
      // Above the folder: relative to it.
      found.add(path ?? [base, file].filter(Boolean).join('/'));
    }
  }
  return [...found];
}
