import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EVENTFUL, EVENTFUL_COMMITS } from '../support/eventful.ts';
import { markedProcesses } from '../support/processes.ts';
import { makeProject, type Project } from '../support/project.ts';

/** Crash points that every iteration passes. */
const ALWAYS = [
  'checkpointed',
  'agent-stopped',
  'agent-ended',
  'settled',
  'planned',
  'files-written',
  'ledger-written',
  'done',
];

/**
 * Every crash point, passed for the nth time since the start: early, in the middle of a roll-back, late. One repository
 * for each line, started again after each kill.
 */
const CRASHES = [
  ['run-started', ...ALWAYS.map((name) => `${name}#1`), 'committed#1', 'git-before-apply#1'],
  ...ALWAYS.flatMap((name, at) => (at % 2 === 0 ? [[`${name}#3`, `${ALWAYS[(at + 3) % ALWAYS.length]}#5`]] : [])),
  ['committed#2', 'committed#5'],
  ['rolled-back#1', 'git-before-apply#4'],
  ['planned#3', 'rolled-back#1', 'files-written#1', 'ledger-written#1'],
];

const RANDOM_KILLS = [4];
/** Fixed, so that a failure can be tried again; the instants still fall where the machine's load puts them. */
const SEED = 20_260_101;

const USER_FILES = { 'notes of mine.txt': 'not tracked\n', 'ignored/secret.env': 'KEY=value\n' };

describe('kill -9 of the loop', () => {
  test.each(CRASHES.map((points) => [points.join(', then at '), points] as const))(
    'at %s costs nothing',
    async (_, points) => {
      const project = await eventfulProject();
      try {
        for (const point of points)
          expect((await project.run([], { RALPH_CRASHPOINT: point })).signal, point).toBe('SIGKILL');
        await expectUndisturbedEnd(project);
      } finally {
        await project.remove();
      }
    },
  );

  const random = generator(SEED);
  test.each(RANDOM_KILLS.map((kills) => Array.from({ length: kills }, () => Math.floor(random() * 3_000))))(
    'at random instants (after %i, %i, %i and %i ms) costs nothing',
    async (...instants) => {
      const project = await eventfulProject();
      try {
        for (const ms of instants) {
          const { child, ended } = project.start(['run', '--scenario', project.scenario]);
          await Promise.race([wait(ms), ended]);
          child.kill('SIGKILL');
          await ended;
        }
        await expectUndisturbedEnd(project);
      } finally {
        await project.remove();
      }
    },
  );
});

describe('kill -9 after the agent went for what the next start reads', () => {
  const attack = [
    'rm -rf ralph',
    'printf "import { writeFileSync } from \\"node:fs\\"; writeFileSync(\\"../outside/pwned\\", \\"\\"); export default {};" > ralph.config.js',
    'touch ready',
  ].join(' && ');

  test('a planted configuration never runs, a deleted spec folder is back, the work is under a rescue', async () => {
    const steps = [
      { when: { attempt: 1, iteration: 1 }, do: [{ run: attack }, { hang: true }] },
      { when: { mode: 'review' }, do: [{ status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }] },
      { do: [{ write: { path: 'one.txt', content: 'one' } }, { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } }] },
    ];
    const project = await makeProject({ stories: [{ id: 'US-001' }], steps });
    try {
      const { child, ended } = project.start(['run', '--scenario', project.scenario]);
      while (
        !(await project.read('ready').then(
          () => true,
          () => false,
        ))
      )
        await wait(50);
      child.kill('SIGKILL');
      await ended;
      expect((await project.ralph(['config'])).code).toBe(2);
      const { code, stdout, stderr } = await project.run();
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
      await expect(project.read('../outside/pwned')).rejects.toThrow();
      await expect(project.read('ralph.config.js')).rejects.toThrow();
      expect(await rescued(project, 'ralph.config.js')).toContain('pwned');
      expect(await project.git('status', '--porcelain')).toBe('');
    } finally {
      await project.remove();
    }
  });
});

async function eventfulProject(): Promise<Project> {
  const project = await makeProject(EVENTFUL);
  for (const [path, content] of Object.entries(USER_FILES)) await project.write(path, content);
  return project;
}

/** After another start everything is as if nothing had happened. */
async function expectUndisturbedEnd(project: Project): Promise<void> {
  const { code, stdout, stderr } = await project.run();
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const stories = await project.stories();
  expect(stories.map(({ id, passes, reviewStatus, reviewCount }) => [id, passes, reviewStatus, reviewCount])).toEqual([
    ['US-001', true, 'approved', 1],
    ['US-002', true, 'approved', 1],
    ['US-003', true, 'approved', 2],
  ]);
  const subjects = (await project.git('log', '--reverse', '--format=%s', 'main..ralph/test')).split('\n');
  expect(subjects.filter((subject) => !subject.startsWith('chore(ralph)'))).toEqual(EVENTFUL_COMMITS);
  // The last commit of an iteration holds the loop's files as they are: bookkeeping has nothing left to do.
  expect(await project.git('show', 'ralph/test:ralph/tasks.json')).toBe(
    (await project.read('ralph/tasks.json')).trimEnd(),
  );
  expect(subjects.at(-1)).toBe('review(US-003): approved');
  expect(await project.git('show', 'ralph/test:src/one.txt')).toBe('one');
  expect(await project.git('show', 'ralph/test:src/two.txt')).toBe('two');
  expect(await project.git('show', 'ralph/test:src/three.txt')).toBe('three');
  expect(await project.git('status', '--porcelain')).toBe('?? "notes of mine.txt"');
  for (const [path, content] of Object.entries(USER_FILES)) expect(await project.read(path)).toBe(content);
  expect(await rescued(project, 'src/broken.txt')).toContain('oh no');
  expect(await project.read('ralph/progress.txt')).toContain('a note of the agent');
  const { run } = JSON.parse(await project.read('.ralph/status.json'));
  expect(await markedProcesses(run)).toEqual([]);
}

/** Contents of a path in every rescue that has it: what a roll-back took is reachable. */
async function rescued(project: Project, path: string): Promise<string> {
  const refs = (await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue'))
    .split('\n')
    .filter(Boolean);
  const found = await Promise.all(refs.map((ref) => project.git('show', `${ref}:${path}`).catch(() => '')));
  return found.join('\n');
}

/** Small deterministic generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
