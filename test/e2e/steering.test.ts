import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { RunRecord } from '../../src/contracts/index.ts';
import { markedProcesses } from '../support/processes.ts';
import { type Ended, easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { commitsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, READY, tool, write } from '../support/says.ts';
import { signedLine } from '../support/signed-line.ts';

/** What people say to a run from outside, in another process, while its agent works or waits. */

type Steps = NonNullable<ProjectOptions['steps']>;

let project: Project;
let started: ReturnType<Project['start']> | undefined;
afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  await project?.remove();
});

/** An implement iteration that says where it is, and goes on once the test lets it. */
const held = (when: object, ...then: readonly object[]): Steps[number] => ({
  when: { mode: 'implement', ...when },
  do: [
    write('half.txt', 'half\n'),
    { run: 'touch "$HOME/{{STORY_ID}}-at-work"' },
    { 'wait-for-file': '../outside/{{STORY_ID}}-may-go' },
    { delete: 'half.txt' },
    ...then,
  ],
});
const finish = [write('src/{{STORY_ID}}.txt', 'made\n'), READY];

async function twoStories(steps: Steps, rest: ProjectOptions = {}): Promise<void> {
  const stories = [{ id: 'US-001' }, { id: 'US-002' }];
  project = await makeProject({
    stories,
    steps: [...steps, ...easySteps('US-001'), ...easySteps('US-002')],
    verifyCommands: ['test ! -e broken.txt'],
    ...rest,
  });
}

/** Starts a run and waits until the agent works on this story. */
async function runUntilWorking(story = 'US-001', args: readonly string[] = []): Promise<void> {
  started = project.start(['run', '--scenario', project.scenario, ...args]);
  await until(() => existsSync(`${project.outside}/${story}-at-work`));
}

const letGo = (story = 'US-001') => writeFile(`${project.outside}/${story}-may-go`, '');

async function ended(): Promise<Ended> {
  if (!started) throw new Error('no run was started');
  return started.ended;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(50);
}

/** Types a command that must succeed. */
async function say(...line: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(line);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const record = async (): Promise<RunRecord> => JSON.parse(await project.read('.git/ralph/run.json'));
const verdicts = async () =>
  (await ledgerOf(project)).flatMap(({ kind, verdict }) => (kind === 'iteration' ? verdict : []));

describe('pause and resume', () => {
  test('the run waits after its iteration, for as long as nobody resumes it', async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking();
    const { run } = await record();
    expect(await say('pause')).toBe(`run ${run} pauses before its next iteration; continue with: ralph resume\n`);
    expect(await say('pause')).toBe(`run ${run} was already asked to pause after this iteration\n`);
    await letGo();
    await until(async () => (await record()).waiting?.why === 'pause');
    expect(await verdicts()).toEqual(['accepted']);
    expect(await say('pause')).toBe(`run ${run} is already paused\n`);
    await wait(1500);
    expect(await verdicts()).toEqual(['accepted']);
    await say('resume');
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
    expect(await verdicts()).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
  });

  test('a pause outlives kill -9, and a stop ends it', async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking();
    await say('pause');
    await letGo();
    await until(async () => (await record()).waiting?.why === 'pause');
    const { run } = await record();
    started?.child.kill('SIGKILL');
    await ended();
    expect((await project.ralph(['pause'])).stderr).toContain(`run ${run} was cut off`);

    started = project.start(['run', '--scenario', project.scenario]);
    await until(async () => (await record()).pid === started?.child.pid);
    await until(async () => (await record()).waiting?.why === 'pause');
    expect(await verdicts()).toEqual(['accepted']);
    await until(async () => (await project.ralph(['stop'])).code === 0);
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('stopped');
    expect(await verdicts()).toEqual(['accepted']);
  });
});

describe('stop', () => {
  test('the iteration is finished first, and the next run goes on', async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking();
    await say('stop');
    await wait(1000);
    await letGo();
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('stopped');
    expect(await verdicts()).toEqual(['accepted']);
    expect(await record()).toMatchObject({ ended: { reason: 'stopped' } });
    const next = await project.run();
    expect(next.code, next.stdout).toBe(0);
  });

  test('with --now the agent is stopped too, its work kept, no process left', async () => {
    await twoStories([held({ story: 'US-001' })]);
    await runUntilWorking();
    await say('stop', '--now');
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(1);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'interrupted', counts: 'ignored' });
    expect(await project.git('show', `${line?.rescue}:half.txt`)).toBe('half');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await record()).toMatchObject({ ended: { reason: 'stopped' } });
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
    expect((await project.ralph(['stop'])).code).toBe(2);
  });
});

describe('notes', () => {
  /** Keeps each prompt, then does what every iteration of its kind does. */
  const agent = [
    'cat > "$HOME/prompt-$RALPH_ITERATION.md"',
    'mkdir -p src && echo made > "src/$RALPH_STORY_ID.txt"',
    'if [ "$RALPH_MODE" = review ]; then review="REVIEW: APPROVED"; git checkout -q -- src; else review=""; fi',
    'printf "%s\\n" ---RALPH_STATUS--- "STATUS: COMPLETE" $' +
      '{review:+"$review"} "EXIT_SIGNAL: true" ---END_RALPH_STATUS---',
  ].join('\n');

  const promptOf = (iteration: number) => readFile(`${project.outside}/prompt-${iteration}.md`, 'utf8');

  test('each is carried by one prompt, the first that comes', { tags: ['promise'] }, async () => {
    await twoStories([]);
    await project.write('ralph.config.json', JSON.stringify({ agent: 'command', command: { run: agent } }));
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'settings');
    await say('steer', 'keep it short');
    expect(await say('steer')).toContain('keep it short');
    const first = await project.ralph(['run', '--once']);
    expect(first.stderr).toBe('');
    await say('steer', 'mind the gap');
    const second = await project.ralph(['run']);
    expect(second.code, second.stdout).toBe(0);
    const lines = (await ledgerOf(project)) as readonly { readonly steers?: readonly string[] }[];
    expect(lines.map(({ steers }) => steers?.length ?? 0)).toEqual([1, 1, 0, 0]);
    // The second run numbers its iterations from 1 again.
    expect(await promptOf(1)).toMatch(/From the person who runs this loop\n\n- mind the gap\n/);
    for (const iteration of [1, 2, 3]) expect(await promptOf(iteration)).not.toContain('keep it short');
    for (const iteration of [2, 3]) expect(await promptOf(iteration)).not.toContain('mind the gap');
    expect(await say('steer')).toContain('no notes');
  });

  test('one whose iteration was cut short is carried again', { tags: ['long'] }, async () => {
    await twoStories([held({ story: 'US-001' })]);
    await say('steer', 'only once');
    await runUntilWorking();
    await say('stop', '--now');
    await ended();
    expect(await say('steer')).toContain('only once');
    await writeFile(
      project.scenario,
      stringify({
        version: 1,
        steps: [
          { when: { story: 'US-001', mode: 'implement' }, do: [{ 'expect-prompt': '- only once' }, ...finish] },
          ...easySteps('US-001'),
          ...easySteps('US-002'),
        ],
      }),
    );
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(await verdicts()).toEqual(['interrupted', 'accepted', 'accepted', 'accepted', 'accepted']);
    expect(await say('steer')).toContain('no notes');
  });
});

describe('limits', () => {
  test('are raised during the run', { tags: ['long'] }, async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking('US-001', ['-n', '1']);
    expect(await say('steer', '--max-iterations', '6')).toContain('--max-iterations 6 (was 1)');
    await letGo();
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
  });

  test('are lowered during the run', { tags: ['long'] }, async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking();
    await say('steer', '--max-iterations', '2');
    await letGo();
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(1);
    expect(await verdicts()).toEqual(['accepted', 'accepted']);
  });

  test('say what flags of the start made of them', { tags: ['long'] }, async () => {
    await twoStories([held({ story: 'US-001' }, ...finish)]);
    await runUntilWorking('US-001', ['--max-cost', '3']);
    expect(await say('steer', '--max-cost', '5')).toContain('--max-cost $5.00 (was $3.00)');
    await letGo();
    expect((await ended()).code).toBe(0);
  });
});

describe('questions', () => {
  const ask: Steps[number] = {
    when: { story: 'US-001', mode: 'implement', iteration: 1 },
    do: [tool('ask_question', { question: 'Euro or dollar?' }), { say: 'I ask.' }],
  };
  const told: Steps[number] = {
    when: { story: 'US-001', mode: 'implement' },
    do: [{ 'expect-prompt': 'Euro or dollar?' }, { 'expect-prompt': 'euros only' }, ...finish],
  };

  test('one parks its story, the others go on, and an answer reopens it for the next run', async () => {
    await twoStories([ask, told]);
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(6);
    expect(await project.stories()).toMatchObject([{ blocked: 'question Q1: Euro or dollar?' }, { passes: true }]);
    expect(JSON.parse(await say('questions', '--json')).questions).toMatchObject([
      { id: 'Q1', state: 'open', story: 'US-001', title: 'story US-001', text: 'Euro or dollar?' },
    ]);
    await say('answer', 'Q1', 'euros only');
    expect(await say('questions')).toContain('no open questions');
    await writeFile(
      project.scenario,
      stringify({ version: 1, steps: [told, ...easySteps('US-001'), ...easySteps('US-002')] }),
    );
    const next = await project.run();
    expect(next.code, next.stdout).toBe(0);
    expect(await commitsOf(project)).toContain('feat(US-001): story US-001');
  });

  test('an answer reopens the story for the run under way', async () => {
    await twoStories([ask, told, held({ story: 'US-002' }, ...finish)]);
    await runUntilWorking('US-002');
    expect(await say('answer', 'Q1', 'euros only')).toContain('before its next iteration');
    await letGo('US-002');
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
    const lines = await ledgerOf(project);
    expect(new Set(lines.flatMap(({ run }) => run ?? [])).size).toBe(1);
    expect(lines.filter(({ kind }) => kind === 'answer')).toMatchObject([{ question: 'Q1', text: 'euros only' }]);
    expect(await project.git('status', '--porcelain')).toBe('');
  });
});

describe('the circuit breaker', () => {
  test('opens, explains itself, stays open over a restart, and a person closes it', async () => {
    const idle: Steps[number] = { when: { mode: 'implement' }, do: [{ say: 'I think about it.' }] };
    await twoStories([idle]);
    const { code, stdout } = await project.run(['--story-max-attempts', '9']);
    expect(code, stdout).toBe(3);
    expect(await verdicts()).toEqual(['no-progress', 'no-progress', 'no-progress']);
    expect(JSON.parse(await say('circuit', '--json'))).toMatchObject({ state: 'open', cause: 'no-progress' });
    const again = await project.run();
    expect(again.code, again.stdout).toBe(3);
    expect(await verdicts()).toHaveLength(3);
    expect(await say('--reset-circuit')).toContain('is closed now');
    await writeFile(
      project.scenario,
      stringify({ version: 1, steps: [...easySteps('US-001'), ...easySteps('US-002')] }),
    );
    const last = await project.run();
    expect(last.code, last.stdout).toBe(0);
  });

  test('is closed while a run waits for it to cool down, which continues at once', { tags: ['long'] }, async () => {
    const idle: Steps[number] = {
      when: { mode: 'implement', iteration: [1, 2, 3] },
      do: [{ say: 'I think about it.' }],
    };
    await twoStories([idle], { files: { 'ralph.config.json': '{"circuit":{"cooldown":"30m"}}' } });
    started = project.start(['run', '--story-max-attempts', '9', '--scenario', project.scenario]);
    await until(
      async () => existsSync(`${project.root}/.git/ralph/run.json`) && (await record()).waiting?.why === 'cooldown',
    );
    expect(await say('circuit', 'reset')).toContain(`run ${(await record()).run} closes it before its next iteration`);
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^[\d:]{8} {3}waited .*\(breaker cools down\)\n[\d:]{8} {3}breaker {3}closed again$/m);
    expect((await ledgerOf(project)).filter(({ kind }) => kind === 'circuit-reset')).toHaveLength(1);
  });
});

describe('stories that people add, block and reset while the run works', () => {
  const states = async () => (await project.stories()).map(({ id, passes, blocked }) => [id, passes, blocked]);

  test('a story that is added is worked on by the same run, and the one blocked is left out', async () => {
    await twoStories([held({ story: 'US-001' }, ...finish), ...easySteps('US-003'), ...easySteps('US-001')]);
    await runUntilWorking();
    const { run } = await record();
    const later = `by run ${run} before its next iteration\n`;
    expect(await say('stories', 'add', 'Three', '-c', 'src/US-003.txt is there')).toBe(
      `US-003 Three will be added ${later}`,
    );
    expect(await say('stories', 'block', 'US-002', 'waits', 'for', 'Ann')).toBe(`US-002 will be blocked ${later}`);
    const before = await project.read('ralph/tasks.json');
    await letGo();
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(6);
    expect(before).not.toContain('US-003');
    expect(await states()).toEqual([
      ['US-001', true, undefined],
      ['US-002', false, 'waits for Ann'],
      ['US-003', true, undefined],
    ]);
    expect((await ledgerOf(project)).filter(({ kind }) => kind === 'addition')).toMatchObject([{ story: 'US-003' }]);
    expect(stdout).toContain('US-003');
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('a done story that is reset during the work on another is done once more', { tags: ['long'] }, async () => {
    await twoStories([...easySteps('US-001'), held({ story: 'US-002' }, ...finish)]);
    await runUntilWorking('US-002');
    expect(await say('stories', 'reset', 'US-001')).toContain('US-001 will be reopened by run');
    await letGo('US-002');
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
    const worked = (await ledgerOf(project)).flatMap(({ kind, story, mode }) =>
      kind === 'iteration' ? `${story} ${mode}` : [],
    );
    expect(worked.filter((line) => line === 'US-001 implement')).toHaveLength(2);
  });

  test('an id that meanwhile went to another story becomes the next free one', { tags: ['long'] }, async () => {
    await twoStories([held({ story: 'US-001' }, ...finish), ...easySteps('US-003'), ...easySteps('US-004')]);
    await runUntilWorking();
    await say('stories', 'add', 'Three', '-c', 'x');
    const folder = { kind: 'add', folder: 'ralph', story: { id: 'US-003', title: 'Other', acceptanceCriteria: ['x'] } };
    const entry = { version: 1, id: '20991231-000000-00000000', at: Date.now(), ...folder };
    const stateDir = `${project.root}/.git/ralph`;
    await appendFile(`${stateDir}/steering.jsonl`, `${signedLine(stateDir, entry, { HOME: project.outside })}\n`);
    await letGo();
    const { code, stdout } = await ended();
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('"Other" was added as US-004: US-003 is now another story.');
    expect((await states()).map(([id, passes]) => `${id} ${passes}`)).toContain('US-004 true');
  });
});

test('lanes of a parallel run: a note about a story reaches its lane, one for any story exactly one of them', async () => {
  const waits = {
    run: {
      command: 'touch "$HOME/{{STORY_ID}}-at-work"; until [ -e "$HOME/may-go" ]; do sleep 0.1; done',
      expect: 'ok',
    },
  };
  await twoStories([
    { when: { mode: 'implement' }, do: [waits, ...finish] },
    { when: { mode: 'review', story: 'US-002' }, do: [{ 'expect-prompt': 'about the second' }, APPROVED] },
    { when: { mode: 'review' }, do: [APPROVED] },
  ]);
  await runUntilWorking('US-001', ['--parallel', '2']);
  await until(() => existsSync(`${project.outside}/US-002-at-work`));
  await say('steer', '--story', 'US-002', 'about the second');
  await say('steer', 'about any');
  await writeFile(`${project.outside}/may-go`, '');
  const { code, stdout, stderr } = await ended();
  expect(code, stdout + stderr).toBe(0);
  const carried = (await ledgerOf(project)).flatMap((line) =>
    line.kind === 'iteration' ? (line.steers ?? []).map((id) => ({ id, by: `${line.mode} ${line.story}` })) : [],
  );
  expect(new Set(carried.map(({ id }) => id)).size).toBe(2);
  expect(carried.map(({ by }) => by).sort()).toEqual(expect.arrayContaining(['review US-002']));
  expect(carried).toHaveLength(2);
  expect(await say('steer')).toContain('no notes');
});
