import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { plainText } from '../support/plain-text.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';

/**
 * Every file that ralph reads, in every bad condition: exit 2, a message with file, line and mend, no stack trace, and
 * the bad file is still there byte for byte, in its place or kept aside.
 */

const BINARY = Uint8Array.from({ length: 300 }, (_, n) => (n * 7) % 256);
const GOOD: ProjectOptions = {
  stories: [{ id: 'US-001' }, { id: 'US-002' }],
  steps: [...easySteps('US-001'), ...easySteps('US-002')],
};
const BOM = '\uFEFF';

let project: Project;
afterEach(() => project?.remove());

/** Puts each content into the file in turn and starts a run; all messages, each under the name of its content. */
async function refusals(path: string, contents: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const file = resolve(project.root, path);
  const good = await readFile(file).catch(() => null);
  const messages: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    await writeFile(file, content);
    const { code, stdout, stderr } = await project.run();
    expect({ code, stdout }, `${name}: ${stderr}`).toEqual({ code: 2, stdout: '' });
    expect(stderr, name).not.toMatch(/\n\s+at |\bbug\b/);
    await expectKept(file, content);
    await rm(file, { force: true });
    if (good) await writeFile(file, good);
    messages.push(`# ${name}\n${plainText(project, stderr)}`);
  }
  return messages.join('\n');
}

async function expectKept(file: string, content: string | Uint8Array): Promise<void> {
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(basename(file)));
  const found = await Promise.all(names.map((name) => readFile(resolve(dirname(file), name))));
  expect(found.some((bytes) => bytes.equals(Buffer.from(content)))).toBe(true);
}

const tasks = (stories: unknown, more: object = {}): string =>
  `${JSON.stringify({ branchName: 'ralph/test', verifyCommands: [], ...more, userStories: stories }, null, 2)}\n`;
const story = (id: string, more: object = {}): object => ({
  id,
  title: `story ${id}`,
  acceptanceCriteria: ['it works'],
  passes: false,
  ...more,
});

describe('a backlog', () => {
  test('tasks.json that cannot be worked with is refused with every problem in it', async () => {
    project = await makeProject(GOOD);
    expect(
      await refusals('ralph/tasks.json', {
        empty: '',
        'blank lines': '\n\n',
        truncated: tasks([story('US-001')]).slice(0, 180),
        binary: BINARY,
        'a list of numbers': '[1, 2, 3]\n',
        'a string': '"tasks"\n',
        'wrong types': tasks(
          [story('US-001', { passes: 'no', reviewCount: -1, reviewStatus: 'needs-review', dependsOn: 'US-002' }), 7],
          { verifyCommands: 'npm test' },
        ),
        'missing fields': tasks([{ passes: false }]),
        'no list of stories': tasks({}),
        'duplicate ids': tasks([story('US-001'), story('US-002'), story('US-001')]),
        cycle: tasks([
          story('US-001', { dependsOn: ['US-002'] }),
          story('US-002', { dependsOn: ['US-003'] }),
          story('US-003', { dependsOn: ['US-001'] }),
        ]),
        'unknown dependency': tasks([story('US-001'), story('US-002', { dependsOn: ['US-01'] })]),
        'dependency on itself': tasks([story('US-001', { dependsOn: ['US-001'] })]),
        'later version': tasks([story('US-001')], { version: 2 }),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:1: the file is empty
          mend: Write at least {"userStories": []}, or restore the file from git.

      # blank lines
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:1: the file is empty
          mend: Write at least {"userStories": []}, or restore the file from git.

      # truncated
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:9: not valid JSON at column 9: a string is not closed
          mend: Mend the syntax at this line; the mistake may stand at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you.

      # binary
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:1: the file is binary: it holds a NUL byte
          mend: Restore the file from git, or write it anew as plain text.

      # a list of numbers
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:1: "userStories" is missing
          mend: Add "userStories": an array of stories.

      # a string
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:1: the file must hold an object with a list of stories
          mend: Write {"userStories": [ … ]}.

      # wrong types
      Error: ralph/tasks.json cannot be worked with: 6 errors
        ralph/tasks.json:3: "verifyCommands" is "npm test", expected an array of strings
          mend: Make "verifyCommands" an array of strings.
        ralph/tasks.json:11: US-001: "passes" is "no", expected true or false
          mend: Make "passes" true or false.
        ralph/tasks.json:12: US-001: "reviewCount" is -1, expected an integer of 0 or more
          mend: Make "reviewCount" an integer of 0 or more.
        ralph/tasks.json:13: US-001: "reviewStatus" is "needs-review", expected null, "needs_review", "changes_requested" or "approved"
          mend: Did you mean "needs_review"?
        ralph/tasks.json:14: US-001: "dependsOn" is "US-002", expected an array of story ids
          mend: Make "dependsOn" an array of story ids.
        ralph/tasks.json:16: story 2 is 7, expected an object
          mend: Write it as {"id": …, "title": …}.

      # missing fields
      Error: ralph/tasks.json cannot be worked with: 2 errors
        ralph/tasks.json:5: story 1: "id" is missing
          mend: Add "id": a string that is not empty, such as "US-001".
        ralph/tasks.json:5: story 1: "title" is missing
          mend: Add "title": a string that is not empty.

      # no list of stories
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:4: "userStories" is an object, expected an array of stories
          mend: Make "userStories" an array of stories.

      # duplicate ids
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:21: US-001: the id is already that of the story at line 5
          mend: Give one of the two another id.

      # cycle
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:5: stories wait for each other: US-001 → US-002 → US-003 → US-001
          mend: Take one of these dependencies away.

      # unknown dependency
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:13: US-002: depends on "US-01", which is no story of this backlog
          mend: Did you mean "US-001"?

      # dependency on itself
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:5: stories wait for each other: US-001 → US-001
          mend: Take one of these dependencies away.

      # later version
      Error: ralph/tasks.json cannot be worked with: 1 error
        ralph/tasks.json:4: the file is of version 2, this ralph reads version 1
          mend: Use the newer ralph that wrote it.
      "
    `);
  });

  test('plan.md that cannot be worked with is refused', async () => {
    project = await makeProject({ ...GOOD, backlog: { path: 'ralph/plan.md', text: '- [ ] US-001: Say one\n' } });
    expect(
      await refusals('ralph/plan.md', {
        empty: '',
        binary: BINARY,
        'no boxes': '# A plan\n\nWe should do something.\n',
        'only boxes that are not stories': '```\n- [ ] in code\n```\n',
        cycle: '- [ ] US-001: one\n  - Depends on: US-002\n- [ ] US-002: two\n  - Depends on: US-001\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/plan.md:1: the file is empty
          mend: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # binary
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/plan.md:1: the file is binary: it holds a NUL byte
          mend: Restore the file from git, or write it anew as plain text.

      # no boxes
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/plan.md:1: the plan has no check boxes, so it names no stories
          mend: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # only boxes that are not stories
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/plan.md:1: the plan has no check boxes, so it names no stories
          mend: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # cycle
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/plan.md:1: stories wait for each other: US-001 → US-002 → US-001
          mend: Take one of these dependencies away.
      "
    `);
  });

  test('prd.json that cannot be worked with is refused', async () => {
    project = await makeProject({
      ...GOOD,
      backlog: {
        path: 'ralph/prd.json',
        text: '{ "stories": [{ "id": "US-001", "title": "one", "passes": false }] }\n',
      },
    });
    expect(
      await refusals('ralph/prd.json', {
        empty: '',
        truncated: '{ "stories": [{ "id": "US-001", "tit',
        binary: BINARY,
        'a number': '42\n',
        'no stories': '{ "project": "none" }\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/prd.json cannot be worked with: 1 error
        ralph/prd.json:1: the file is empty
          mend: Write at least {"userStories": []}, or restore the file from git.

      # truncated
      Error: ralph/prd.json cannot be worked with: 1 error
        ralph/prd.json:1: not valid JSON at column 33: a string is not closed
          mend: Mend the syntax at this line; the mistake may stand at the end of the line before. \`ralph import ralph/prd.json --repair\` tries it for you.

      # binary
      Error: ralph/prd.json cannot be worked with: 1 error
        ralph/prd.json:1: the file is binary: it holds a NUL byte
          mend: Restore the file from git, or write it anew as plain text.

      # a number
      Error: ralph/prd.json cannot be worked with: 1 error
        ralph/prd.json:1: the file must hold an object with a list of stories
          mend: Write {"userStories": [ … ]}.

      # no stories
      Error: ralph/prd.json cannot be worked with: 1 error
        ralph/prd.json:1: no list of stories was found in this document
          mend: Put the stories into "userStories", each with an "id", a "title" and "passes".
      "
    `);
  });

  test('reviews.json that cannot be worked with is refused', async () => {
    project = await makeProject({ ...GOOD, backlog: { path: 'ralph/plan.md', text: '- [ ] US-001: Say one\n' } });
    expect(
      await refusals('ralph/reviews.json', {
        empty: '',
        truncated: '{ "version": 1, "stories": { "US-001": {',
        binary: BINARY,
        'a list': '[]\n',
        'wrong types':
          '{ "version": 1, "stories": { "US-001": { "reviewStatus": "maybe", "reviewCount": -1 }, "US-002": 3 } }\n',
        'later version': '{ "version": 2, "stories": {} }\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/reviews.json:1: the file is empty
          mend: Restore the file from git, or delete it: review state then starts afresh.

      # truncated
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/reviews.json:1: the JSON breaks off here: the file is truncated
          mend: Restore the file from git, or delete it: review state then starts afresh.

      # binary
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/reviews.json:1: the file is binary: it holds a NUL byte
          mend: Restore the file from git, or write it anew as plain text.

      # a list
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/reviews.json:1: the file must hold an object
          mend: Restore the file from git, or delete it.

      # wrong types
      Error: ralph/plan.md cannot be worked with: 3 errors
        ralph/reviews.json:1: US-001: "reviewStatus" is "maybe", expected null, "needs_review", "changes_requested" or "approved"
          mend: Make "reviewStatus" null, "needs_review", "changes_requested" or "approved".
        ralph/reviews.json:1: US-001: "reviewCount" is -1, expected an integer of 0 or more
          mend: Make "reviewCount" an integer of 0 or more.
        ralph/reviews.json:1: the entry of US-002 must be an object
          mend: Restore the file from git.

      # later version
      Error: ralph/plan.md cannot be worked with: 1 error
        ralph/reviews.json:1: the file is of version 2, this ralph reads version 1
          mend: Use the newer ralph that wrote it.
      "
    `);
  });

  test.each([
    ['tasks.json', tasks([story('US-001')]), 'ralph/tasks.json'],
    ['plan.md', '# Plan\n\n- [ ] US-001: Say one\n  - it works\n', 'ralph/plan.md'],
    [
      'prd.json',
      '{\n  "stories": [\n    { "id": "US-001", "title": "one", "passes": false }\n  ]\n}\n',
      'ralph/prd.json',
    ],
  ])('%s with a byte order mark and CRLF works, and keeps both', async (_name, text, path) => {
    const backlog = { path, text: BOM + text.replaceAll('\n', '\r\n') };
    project = await makeProject({ ...GOOD, backlog });
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const after = await project.read(path);
    expect(after.startsWith(BOM)).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).not.toBe(backlog.text);
  });
});

describe('what people configure', () => {
  test('ralph.config.json that cannot be used is refused', async () => {
    project = await makeProject(GOOD);
    expect(
      await refusals('ralph.config.json', {
        empty: '',
        truncated: '{\n  "maxIterations": 3,\n  "checks": {',
        binary: BINARY,
        'a list': '[]\n',
        'wrong types':
          '{\n  "maxIterations": "many",\n  "reviewCap": -1,\n  "timeout": "soon",\n  "dirty": "maybe"\n}\n',
        'unknown key': '{\n  "maxIteration": 3\n}\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: the configuration cannot be read
        where: ralph.config.json:1
        why:   it is empty
        mend:  correct the file, or delete it to run with the defaults

      # truncated
      Error: the configuration cannot be read
        where: ralph.config.json:3
        why:   it is not JSON: CloseBraceExpected at column 14
        mend:  correct the file, or delete it to run with the defaults

      # binary
      Error: the configuration cannot be read
        where: ralph.config.json:1
        why:   it is not UTF-8 text
        mend:  correct the file, or delete it to run with the defaults

      # a list
      Error: the configuration cannot be read
        where: ralph.config.json:1
        why:   it holds a list instead of settings
        mend:  correct the file, or delete it to run with the defaults

      # wrong types
      Error: ralph.config.json has 4 problems
        ralph.config.json:2: 'maxIterations' must be a whole number
          mend: correct it; it means: Iterations of one run at most.
        ralph.config.json:3: 'reviewCap' must be at least 1
          mend: correct it; it means: Reviews of one story before \`onReviewCap\` decides.
        ralph.config.json:4: 'timeout' must be a duration: 'soon' is not a duration; write '90s', '15m', '1h30m', '2h' or a plain number of seconds
          mend: correct it; it means: Longest life of one agent process.
        ralph.config.json:5: 'dirty' must be one of 'refuse', 'stash', 'keep'
          mend: correct it; it means: What to do about uncommitted changes of tracked files at the start.

      # unknown key
      Error: ralph.config.json has a problem
        ralph.config.json:2: there is no setting 'maxIteration'
          mend: did you mean 'maxIterations'?
      "
    `);
  });

  test('prompt.md that is no text is refused', async () => {
    project = await makeProject(GOOD);
    await refusals('ralph/prompt.md', { binary: BINARY });
  });

  test('prompt.md with an unknown placeholder is refused before an agent is started, and costs the story nothing', async () => {
    project = await makeProject(GOOD);
    const before = await project.read('ralph/tasks.json');
    await project.write('ralph/prompt.md', 'Do it.\n\nWork on {{STORY_IDD}} now.\n');
    const refused = await project.run();
    expect(refused.code).toBe(2);
    expect(refused.stdout).not.toContain('agent started');
    expect(plainText(project, refused.stderr)).toMatchInlineSnapshot(`
      "Error: the prompt template ralph/prompt.md cannot be used
        ralph/prompt.md:3: {{STORY_IDD}} is no known placeholder
          mend: Did you mean {{STORY_ID}}?
      "
    `);
    expect(await project.read('ralph/tasks.json')).toBe(before);

    await project.write('ralph/prompt.md', 'Do it.\n\nWork on {{STORY_ID}} now.\n');
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(Array(4).fill('accepted'));
  });

  test('an empty prompt.md still gives a prompt with the story and what to do', async () => {
    project = await makeProject(GOOD);
    await project.write('ralph/prompt.md', '');
    const { code, stdout } = await project.run(['--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('story US-001');
    expect(stdout).toContain('---RALPH_STATUS---');
  });

  test('a scenario that cannot be played is refused', async () => {
    project = await makeProject(GOOD);
    expect(
      await refusals(project.scenario, {
        empty: '',
        truncated: 'version: 1\nsteps:\n  - do: [ { say: "hel',
        binary: BINARY,
        'wrong types': 'version: 1\nsteps:\n  - do:\n      - sya: hello\n      - write: { path: 3 }\n',
        'later version': 'version: 2\nsteps: []\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: The scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: expected object, received null
          mend: see docs/scripted-agent.md for the form of a scenario

      # truncated
      Error: The scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:3: Missing closing "quote
          mend: mend the YAML
        <outside>/scenario.yaml:3: Flow map in block collection must be sufficiently indented and end with a }
          mend: mend the YAML
        <outside>/scenario.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]
          mend: mend the YAML

      # binary
      Error: The scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: expected object, received string
          mend: see docs/scripted-agent.md for the form of a scenario

      # wrong types
      Error: The scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:4: steps.0.do.0: unknown 'sya'
          mend: actions: say, status, write, append, edit, delete, run, background, commit, story, tick, progress, tool, expect-prompt, usage, sleep, wait-for-file, hang, ignore-term, flood, limit, fail, crash, empty
        <outside>/scenario.yaml:5: steps.0.do.1.write.path: expected string, received number
          mend: see docs/scripted-agent.md for the form of a scenario
        <outside>/scenario.yaml:5: steps.0.do.1.write.content: is missing
          mend: see docs/scripted-agent.md for the form of a scenario

      # later version
      Error: The scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: version: expected 1
          mend: see docs/scripted-agent.md for the form of a scenario
      "
    `);
    const { code, stderr } = await project.ralph(['run', '--scenario', 'no-such.yaml']);
    expect(code).toBe(2);
    expect(plainText(project, stderr)).toMatchInlineSnapshot(`
      "Error: The scenario cannot be played
        where: <root>/no-such.yaml
        <root>/no-such.yaml:1: the file does not exist
          mend: name an existing file with --scenario
      "
    `);
  });

  test('configuration, prompt and scenario with a byte order mark and CRLF work', async () => {
    project = await makeProject(GOOD);
    const windows = (text: string): string => BOM + text.replaceAll('\n', '\r\n');
    await project.write('ralph.config.json', windows('{\n  "reviewCap": 2\n}\n'));
    await project.write('ralph/prompt.md', windows('Work on {{STORY_ID}}.\n'));
    await writeFile(project.scenario, windows(await readFile(project.scenario, 'utf8')));
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  });
});

describe("the loop's own state", () => {
  const withRun = async (): Promise<void> => {
    project = await makeProject(GOOD);
    await project.run(['2']);
  };

  test('a damaged journal is kept aside, and the next start goes on', async () => {
    await withRun();
    const journal = await project.read('.git/ralph/journal/lane-0.json');
    expect(
      await refusals('.git/ralph/journal/lane-0.json', {
        empty: '',
        truncated: journal.slice(0, 60),
        binary: BINARY,
        'wrong types': journal.replace('"iteration":2', '"iteration":"two"'),
        'unknown phase': journal.replace('"phase":"done"', '"phase":"begun"'),
        'later version': journal.replace('"version":1', '"version":2'),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is empty; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-1
        mend:  \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal

      # truncated
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is not a whole JSON object; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-2
        mend:  \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal

      # binary
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it is not a whole JSON object; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-3
        mend:  \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal

      # wrong types
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   its 'iteration' is missing or of the wrong type; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-4
        mend:  \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal

      # unknown phase
      Error: the journal cannot be read
        where: <root>/.git/ralph/journal/lane-0.json
        why:   its 'phase' is missing or of the wrong type; it is kept as <root>/.git/ralph/journal/lane-0.json.bad-5
        mend:  \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal

      # later version
      Error: the journal was written by a later version of ralph
        where: <root>/.git/ralph/journal/lane-0.json
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        mend:  update ralph, then start again
      "
    `);
    await project.write('.git/ralph/journal/lane-0.json', '{');
    await project.run();
    expect((await project.run()).code).toBe(0);
  });

  test('a damaged ledger stops every start until a person mended it', async () => {
    await withRun();
    const ledger = await project.read('.git/ralph/ledger.jsonl');
    const [first, second] = ledger.trimEnd().split('\n');
    expect(
      await refusals('.git/ralph/ledger.jsonl', {
        binary: `${first}\n${Buffer.from(BINARY).toString('latin1').replaceAll('\n', '')}\n${second}\n`,
        'half a line in the middle': `${first?.slice(0, 40)}\n${second}\n`,
        'wrong types': `${first}\n${second?.replace('"iteration":2', '"iteration":"two"')}\n`,
        'later version': `${first?.replace('"version":1', '"version":2')}\n`,
      }),
    ).toMatchInlineSnapshot(`
      "# binary
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:2
        why:   the line is not a JSON object; attempts and budgets are counted from it, so nothing is guessed
        mend:  delete or repair that one line (keep a copy); the iterations on the other lines still count

      # half a line in the middle
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:1
        why:   the line is not a JSON object; attempts and budgets are counted from it, so nothing is guessed
        mend:  delete or repair that one line (keep a copy); the iterations on the other lines still count

      # wrong types
      Error: the ledger cannot be read
        where: <root>/.git/ralph/ledger.jsonl:2
        why:   its 'iteration' is missing or of the wrong type; attempts and budgets are counted from it, so nothing is guessed
        mend:  delete or repair that one line (keep a copy); the iterations on the other lines still count

      # later version
      Error: the ledger was written by a later version of ralph
        where: <root>/.git/ralph/ledger.jsonl:1
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        mend:  update ralph, then start again
      "
    `);
  });

  test('a torn last line of the ledger was never acknowledged: the run goes on without it', async () => {
    await withRun();
    const ledger = await project.read('.git/ralph/ledger.jsonl');
    await project.write('.git/ralph/ledger.jsonl', `${ledger}{"version":1,"kind":"itera`);
    const { code, stderr } = await project.run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      (await project.read('.git/ralph/ledger.jsonl'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).kind),
    ).toEqual(Array(4).fill('iteration'));
  });

  test('a damaged run record is kept aside, and the next start begins a new run', async () => {
    await withRun();
    const record = await project.read('.git/ralph/run.json');
    expect(
      await refusals('.git/ralph/run.json', {
        empty: '',
        truncated: record.slice(0, 60),
        binary: BINARY,
        'wrong types': record.replace(/"pid":\d+/, '"pid":"me"'),
        'later version': record.replace('"version":1', '"version":2'),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is empty; it is kept as <root>/.git/ralph/run.json.bad-1
        mend:  start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # truncated
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is not a whole JSON object; it is kept as <root>/.git/ralph/run.json.bad-2
        mend:  start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # binary
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   it is not a whole JSON object; it is kept as <root>/.git/ralph/run.json.bad-3
        mend:  start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # wrong types
      Error: the run record cannot be read
        where: <root>/.git/ralph/run.json
        why:   its 'pid' is missing or of the wrong type; it is kept as <root>/.git/ralph/run.json.bad-4
        mend:  start again: a new run begins; commits, ledger and rescues of the old one are untouched

      # later version
      Error: the run record was written by a later version of ralph
        where: <root>/.git/ralph/run.json
        why:   it has format version 2; this ralph knows up to 1 and would misread it
        mend:  update ralph, then start again
      "
    `);
    await project.write('.git/ralph/run.json', '{');
    await project.run();
    expect((await project.run()).code).toBe(0);
  });

  test('missing altogether, it is begun again: stories and commits stand', async () => {
    await withRun();
    await rm(`${project.root}/.git/ralph`, { recursive: true });
    await rm(`${project.root}/.ralph`, { recursive: true });
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect((await project.stories()).map(({ passes }) => passes)).toEqual([true, true]);
  });
});
