// @module-tag long
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { BINARY, BOM, GOOD, open, project, refusals } from '../support/bad-input.ts';
import { plainText } from '../support/plain-text.ts';
import { ledgerOf } from '../support/records.ts';

describe('what people configure', () => {
  test('ralph.config.json that cannot be used is refused', async () => {
    await open(GOOD);
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
        fix:   correct the file, or delete it to run with the defaults

      # truncated
      Error: the configuration cannot be read
        where: ralph.config.json:3
        why:   it is not JSON: CloseBraceExpected at column 14
        fix:   correct the file, or delete it to run with the defaults

      # binary
      Error: the configuration cannot be read
        where: ralph.config.json:1
        why:   it is not UTF-8 text
        fix:   correct the file, or delete it to run with the defaults

      # a list
      Error: the configuration cannot be read
        where: ralph.config.json:1
        why:   it contains a list instead of settings
        fix:   correct the file, or delete it to run with the defaults

      # wrong types
      Error: ralph.config.json has 4 problems
        ralph.config.json:2: 'maxIterations' must be a whole number, not 'many'
          fix: correct or remove it (default: 15). Maximum iterations per run.
        ralph.config.json:3: 'reviewCap' must be at least 1, not -1
          fix: correct or remove it (default: 5). Maximum reviews per story; then \`onReviewCap\` decides.
        ralph.config.json:4: 'timeout' must be a duration: '90s', '15m', '1h30m', '2h' or a plain number of seconds, not 'soon'
          fix: correct or remove it (default: "60m"). Maximum time for one iteration of the agent.
        ralph.config.json:5: 'dirty' must be one of 'refuse', 'stash', 'keep', not 'maybe'
          fix: correct or remove it (default: "refuse"). What to do about uncommitted changes at the start.

      # unknown key
      Error: ralph.config.json has a problem
        ralph.config.json:2: there is no setting 'maxIteration'
          fix: did you mean 'maxIterations'?
      "
    `);
  });

  test('prompt.md that is no text is refused', async () => {
    await open(GOOD);
    await refusals('ralph/prompt.md', { binary: BINARY });
  });

  test('prompt.md with an unknown placeholder is refused before an agent is started, and costs the story nothing', async () => {
    await open(GOOD);
    const before = await project.read('ralph/tasks.json');
    await project.write('ralph/prompt.md', 'Do it.\n\nWork on {{STORY_IDD}} now.\n');
    const refused = await project.run();
    expect(refused.code).toBe(2);
    expect(refused.stdout).not.toContain('agent started');
    expect(plainText(project, refused.stderr)).toMatchInlineSnapshot(`
      "Error: the prompt template ralph/prompt.md cannot be used
        ralph/prompt.md:3: {{STORY_IDD}} is not a known placeholder
          fix: Did you mean {{STORY_ID}}?
      "
    `);
    expect(await project.read('ralph/tasks.json')).toBe(before);

    await project.write('ralph/prompt.md', 'Do it.\n\nWork on {{STORY_ID}} now.\n');
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(Array(4).fill('accepted'));
  });

  test('an empty prompt.md still gives a prompt with the story and what to do', async () => {
    await open(GOOD);
    await project.write('ralph/prompt.md', '');
    const { code, stdout } = await project.run(['--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('story US-001');
    expect(stdout).toContain('---RALPH_STATUS---');
  });

  test('a scenario that cannot be played is refused', async () => {
    await open(GOOD);
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
      Error: the scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: expected object, received null
          fix: see docs/scripted-agent.md for the form of a scenario

      # truncated
      Error: the scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:3: Missing closing "quote
          fix: fix the YAML
        <outside>/scenario.yaml:3: Flow map in block collection must be sufficiently indented and end with a }
          fix: fix the YAML
        <outside>/scenario.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]
          fix: fix the YAML

      # binary
      Error: the scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: expected object, received string
          fix: see docs/scripted-agent.md for the form of a scenario

      # wrong types
      Error: the scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:4: steps.0.do.0: unknown 'sya'
          fix: actions: say, status, write, append, edit, delete, run, background, commit, story, tick, progress, tool, expect-prompt, usage, sleep, wait-for-file, hang, ignore-term, flood, limit, fail, crash, empty
        <outside>/scenario.yaml:5: steps.0.do.1.write.path: expected string, received number
          fix: see docs/scripted-agent.md for the form of a scenario
        <outside>/scenario.yaml:5: steps.0.do.1.write.content: is missing
          fix: see docs/scripted-agent.md for the form of a scenario

      # later version
      Error: the scenario cannot be played
        where: <outside>/scenario.yaml
        <outside>/scenario.yaml:1: version: expected 1
          fix: see docs/scripted-agent.md for the form of a scenario
      "
    `);
    const { code, stderr } = await project.ralph(['run', '--scenario', 'no-such.yaml']);
    expect(code).toBe(2);
    expect(plainText(project, stderr)).toMatchInlineSnapshot(`
      "Error: the scenario cannot be played
        where: <root>/no-such.yaml
        <root>/no-such.yaml:1: the file does not exist
          fix: name an existing file with --scenario
      "
    `);
  });

  test('configuration, prompt and scenario with a byte order mark and CRLF work', async () => {
    await open(GOOD);
    const windows = (text: string): string => BOM + text.replaceAll('\n', '\r\n');
    await project.write('ralph.config.json', windows('{\n  "reviewCap": 2\n}\n'));
    await project.write('ralph/prompt.md', windows('Work on {{STORY_ID}}.\n'));
    await writeFile(project.scenario, windows(await readFile(project.scenario, 'utf8')));
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  });
});
