import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { RALPH } from '../support/project.ts';
import { until } from '../support/until.ts';
import { PROJECTS } from './projects.ts';
import { openSession, type Place, type Session } from './session.ts';
import { commandsOf } from './typed.ts';

/** A throw-away project, and a shell in it. */
export interface OpenProject {
  readonly session: Session;
  readonly place: Place;
  /** The project, and above it the folder that pages call `/home/una`. */
  readonly root: string;
  readonly home: string;
  write(path: string, content: string): Promise<void>;
  /** Id of the last run there; null without one. */
  lastRun(): Promise<string | null>;
  close(): Promise<void>;
}

/** Programs of other people that pages may call: what they say is enough to go on. */
const STAND_INS: Readonly<Record<string, string>> = {
  claude: '#!/bin/sh\necho "2.1.0 (Claude Code)"\n',
  // An ordinary user's containers keep files of other users in the home folder, which only the engine can remove.
  docker: '#!/bin/sh\nexit 1\n',
  podman: '#!/bin/sh\nexit 1\n',
  gh: '#!/bin/sh\necho "To get started with GitHub CLI, please run:  gh auth login" >&2\nexit 4\n',
};

/** Makes the project of that name, and types what comes before the page's own commands. @throws for an unknown name */
export async function openProject(name: string): Promise<OpenProject> {
  const spec = PROJECTS[name];
  if (!spec) throw new Error(`no project '${name}': ${Object.keys(PROJECTS).join(', ')}`);
  const base = await realpath(await mkdtemp(join(tmpdir(), 'ralph-page-')));
  const home = join(base, 'home');
  const root = join(home, 'shop');
  const [bin, scratch, scenario] = [join(base, 'bin'), join(base, 'scratch'), join(base, 'scenario.yaml')];
  for (const folder of [root, bin, scratch]) await mkdir(folder, { recursive: true });
  await writeFile(scenario, stringify({ version: 1, steps: spec.scenario }));
  await writeFile(
    join(home, '.gitconfig'),
    '[user]\nname = Una\nemail = una@example.org\n[init]\ndefaultBranch = main\n',
  );
  for (const [program, text] of Object.entries({ ...STAND_INS, ralph: ralphScript(scenario) })) {
    await writeFile(join(bin, program), text);
    await chmod(join(bin, program), 0o755);
  }
  const place: Place = { cwd: root, scratch, env: environment(home, bin, scratch) };
  const session = openSession(place);
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  const lastRun = async () => (await readdir(join(root, '.ralph/runs')).catch(() => [])).sort().at(-1) ?? null;
  const close = async () => {
    await session.close();
    await rm(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    for (const [path, content] of Object.entries(spec.files)) await write(path, content);
    if (spec.git) await typeAll(session, ['git init -q', 'git add -A', 'git commit -q -m start']);
    if (spec.live) {
      await typeAll(session, ['ralph run > ../run.log 2>&1 &']);
      await until(async () => existsSync(join(home, 'at-work')));
    }
    await typeAll(session, spec.before ?? []);
  } catch (error) {
    await close();
    throw error;
  }
  return { session, place, root, home, write, lastRun, close };
}

async function typeAll(session: Session, lines: readonly string[]): Promise<void> {
  for (const { command, codes } of lines.flatMap((line) => commandsOf(line, 0))) {
    const { code, output } = await session.type(command);
    if (!codes?.includes(code)) throw new Error(`\`${command}\` ended with ${code}:\n${output}`);
  }
}

/** The built program. Only what works with an agent hears of the scripted one: `ralph config` shows the defaults. */
function ralphScript(scenario: string): string {
  return [
    '#!/bin/sh',
    'case "$1" in *" "*|run|review|stream|doctor|demo|selftest)',
    `  export RALPH_AGENT=scripted RALPH_SCRIPTED_SCENARIO='${scenario}' RALPH_ISOLATION_BACKEND=none`,
    '  ;; dashboard) export RALPH_DASHBOARD_PORT=0',
    'esac',
    `exec '${process.execPath}' '${RALPH}' "$@"`,
    '',
  ].join('\n');
}

function environment(home: string, bin: string, scratch: string): Readonly<Record<string, string>> {
  return {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    RALPH_TRUST: '1',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}
