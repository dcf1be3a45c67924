import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import { bash, status, toldIn } from '../support/client-talk.ts';
import { needs } from '../support/debian.ts';
import { type ModelRequest, type Script, textOf } from '../support/model-server.ts';
import type { Turn } from '../support/model-turn.ts';
import { markedProcesses } from '../support/processes.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

const SECRET = 'the-private-key-of-una';

/** Passes only where the person's secrets cannot be read: proof that checks and hooks run inside, too. */
const CHECK = `set -e
if cat "$REAL_HOME/.ssh/id_test" 2>/dev/null; then echo "the secret can be read" >&2; exit 1; fi
grep -q world greet.txt || [ "$1" = hook ] || ! [ -e started.txt ]
`;

/** What no guard sees: a program that reads where it should not. */
const PEEK = `try { console.log(require('fs').readFileSync(process.env.REAL_HOME + '/.ssh/id_test', 'utf8')); }
catch (error) { console.log('NOT READABLE', error.code); }
`;

const PLANT = `const fs = require('fs');
fs.appendFileSync('.git/config', '[core]\\n\\tfsmonitor = touch planted\\n');
fs.writeFileSync('.git/hooks/pre-commit', '#!/bin/sh\\nexit 1\\n', { mode: 0o755 });
`;

const OPTIONS = {
  files: { 'greet.txt': 'hello\n', 'check.sh': CHECK, 'peek.cjs': PEEK, 'plant.cjs': PLANT },
  verifyCommands: ['sh check.sh'],
  stories: [{ id: 'US-001', title: 'Greet the world' }],
};

const BACKENDS = [
  { backend: 'bwrap', missing: await needs('bwrap') },
  { backend: 'container', missing: await needs('podman') },
];

/** The whole cycle of the real Claude Code inside each backend; only the model behind it is scripted. */
describe.each(BACKENDS)('the real client inside $backend', ({ backend, missing }) => {
  let made: ClientProject;
  afterEach(() => made.remove());

  async function prepare(script: (root: string) => Script): Promise<Record<string, string>> {
    made = await makeClientProject(binary as string, script, OPTIONS, {
      isolation: { backend, required: true },
      env: { pass: ['REAL_HOME'] },
    });
    const { project, env } = made;
    const home = env['HOME'] as string;
    await mkdir(join(home, '.ssh'), { recursive: true });
    await writeFile(join(home, '.ssh/id_test'), SECRET);
    await writeFile(join(project.root, '.git/hooks/pre-commit'), '#!/bin/sh\nsh check.sh hook\n', { mode: 0o755 });
    // Inside, nobody has to tell the client that it is in a sandbox.
    const { IS_SANDBOX: _, ...rest } = env;
    return { ...rest, REAL_HOME: home, RALPH_ISOLATION_BACKEND: '' };
  }

  test.skipIf(!binary || missing)('implements and reviews to COMPLETE, with hooks, tools and events', async () => {
    const env = await prepare((root) => story(root));
    const { project, server } = made;
    const { code, stdout, stderr } = await project.ralph(['run'], env);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`isolation ${backend}`);
    expect(await project.read('greet.txt')).toBe('hello world\n');
    expect((await made.ledger()).map(({ mode, verdict, state }) => [mode, verdict, state])).toEqual([
      ['implement', 'accepted', 'needs_review'],
      ['review', 'accepted', 'approved'],
    ]);
    const told = server.requests.map(toldIn);
    // Hooks of the run reach the model in the very next request, tools answer, and what is outside is not there.
    expect(told[1]).toMatch(/PreToolUse:Bash hook error.*force-push/);
    expect(told[2]).toContain('US-001');
    expect(told[3]).toContain('NOT READABLE ENOENT');
    expect(JSON.stringify(told)).not.toContain(SECRET);

    const events = await made.events();
    const of = (type: string) => events.filter((event) => event['type'] === type);
    expect(of('run-start')[0]).toMatchObject({ isolation: backend });
    expect(of('denied')).toMatchObject([{ rule: 'git-remote/force-push' }]);
    expect(of('tool-call')).toMatchObject([{ tool: 'get_story', refused: null }]);
    expect(of('egress-refused')).toMatchObject([{ host: 'example.com', port: 443 }]);

    // The agent's commit is kept, and nothing that it planted in its git dir is in the real one.
    const { run } = JSON.parse(await project.read('.ralph/status.json'));
    expect(await project.git('log', '--format=%s', '-1', `refs/ralph/iterations/${run}/1`)).toBe('greet');
    expect(await readFile(join(project.root, '.git/config'), 'utf8')).not.toContain('fsmonitor');
    expect(await readFile(join(project.root, '.git/hooks/pre-commit'), 'utf8')).toContain('check.sh hook');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await markedProcesses(run)).toEqual([]);
  });
});

/** What the model says over the life of the story. */
function story(root: string): Script {
  return (request) => (/Mode: \*\*implement\*\*/.test(textOf(request)) ? implement(root, request) : review(request));
}

function implement(root: string, { turn }: ModelRequest): Turn {
  const greet = join(root, 'greet.txt');
  const turns: readonly Turn[] = [
    { tools: [bash('git push --force origin main')] },
    { tools: [{ name: 'mcp__ralph__get_story', input: {} }] },
    { tools: [bash('node peek.cjs')] },
    {
      tools: [
        bash(
          'node -e \'require("http").request({port: 3128, method: "CONNECT", path: "example.com:443"}).on("connect", (r) => { console.log(r.statusCode); process.exit() }).end()\'',
        ),
      ],
    },
    { tools: [{ name: 'Read', input: { file_path: greet } }] },
    { tools: [{ name: 'Edit', input: { file_path: greet, old_string: 'hello', new_string: 'hello world' } }] },
    {
      tools: [bash('git commit -qam greet && node plant.cjs')],
    },
    status('TESTS_STATUS: PASSING', 'RECOMMENDATION: ready for review'),
  ];
  return turns[turn - 1] ?? 'done';
}

function review({ turn }: ModelRequest): Turn {
  return turn === 1 ? { tools: [bash('sh check.sh')] } : status('REVIEW: APPROVED', 'RECOMMENDATION: it holds');
}
