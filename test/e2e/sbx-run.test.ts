import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { standIn } from '../../src/adapters/isolation/sbx/stand-in.fixture.ts';
import { realPath } from '../../src/platform/index.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import { bash, toldIn } from '../support/client-talk.ts';
import { needs } from '../support/debian.ts';
import type { ToolUse, Turn } from '../support/model-turn.ts';

const binary = await claudeBinary();
const missing = binary ? await needs('bwrap') : whyNoClaude();
if (missing) console.warn(`A run in a sandbox of sbx is not tested: ${missing}`);

const complete: ToolUse = {
  name: 'mcp__ralph__complete_story',
  input: { status: 'success', summary: 'The sum is there.', tests: 'passing' },
};

/**
 * A whole run with the real client in what stands in for a virtual machine: no server can be reached by it but the
 * model's, whose key is put in from outside.
 */
describe.skipIf(missing)('a run in the sandbox of the project', () => {
  let made: ClientProject;
  afterEach(() => made.remove());

  test('hooks decide inside, tool calls come back by the spool, checks run inside as well', async () => {
    const turns: readonly Turn[] = [
      { tools: [bash('git push --force origin main')] },
      { tools: [bash('test -z "$GH_TOKEN" && echo "no token, home $HOME"; echo 2 >sum.txt')] },
      { tools: [complete, { name: 'mcp__ralph__log_progress', input: { text: 'Sums are easy.' } }] },
      { tools: [bash('git add -A && git commit -q -m "sum"')] },
      'Done.',
    ];
    const script = () => (request: { turn: number }) => turns[request.turn - 1] ?? 'I stop here.';
    const options = {
      stories: [{ id: 'US-001', title: 'Sum' }],
      verifyCommands: ['grep -q 2 sum.txt && test -n "$IS_SANDBOX"'],
    };
    made = await makeClientProject(binary as string, script, options, { isolation: { backend: 'sbx' } });
    const { project, env } = made;
    const { ANTHROPIC_API_KEY = '', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: quiet = '1' } = env;
    const sbx = await standIn({
      prepared: 'stopped',
      project: await realPath(project.root),
      bwrap: true,
      programs: { claude: binary as string },
      env: { ANTHROPIC_API_KEY, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: quiet },
    });
    const path = [join(sbx.env.STAND_IN, 'bin'), env['PATH']].join(delimiter);
    const { stdout, stderr } = await project.ralph(['run', '--once'], {
      ...env,
      PATH: path,
      STAND_IN: sbx.env.STAND_IN,
      GH_TOKEN: 'secret-of-the-host',
      RALPH_ISOLATION_BACKEND: 'sbx',
    });
    expect(stderr).toBe('');
    const told = made.server.requests.slice(1).map(toldIn);
    expect(told[0]).toMatch(/PreToolUse:Bash hook error.*request_merge/);
    expect(told[1]).toContain(`no token, home ${sbx.env.STAND_IN}/home`);
    expect(told[2]).toContain('The loop runs the checks when you have ended');
    expect((await made.ledger())[0]).toMatchObject({ verdict: 'accepted', state: 'needs_review' });
    expect(await project.read('ralph/progress.txt')).toContain('Sums are easy.');
    expect(stdout).toContain('sbx');
    expect((await made.events()).some(({ text }) => /No hook of/.test(String(text)))).toBe(false);
    const said = (await sbx.calls()).map(({ args }) => args.join(' ')).join('\n');
    expect(said).not.toContain(ANTHROPIC_API_KEY);
  });
});
