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

/**
 * Looks for a key, given in hex so that this file does not hold it, wherever something inside could read it. Prints
 * each place where it is, and how many places of each kind were read.
 */
const SEARCH = `const fs = require('fs'), path = require('path');
const key = Buffer.from(process.env.KEY_IN_HEX, 'hex');
const forms = [key, Buffer.from(key.toString('base64').slice(0, -4)), Buffer.from(encodeURIComponent(key.toString()))];
const read = {};
const look = (kind, place, bytes) => {
  read[kind] = (read[kind] || 0) + 1;
  if (forms.some((form) => bytes.includes(form))) console.log('FOUND', kind, place);
};
const attempt = (task) => { try { task(); } catch {} };
for (const [name, value] of Object.entries(process.env)) look('variable', name, Buffer.from(value));
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid))) {
  for (const kind of ['environ', 'cmdline']) attempt(() => look(kind, pid, fs.readFileSync('/proc/' + pid + '/' + kind)));
  attempt(() => {
    const memory = fs.openSync('/proc/' + pid + '/mem', 'r');
    for (const line of fs.readFileSync('/proc/' + pid + '/maps', 'latin1').split('\\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) || [];
      const size = parseInt(to, 16) - parseInt(from, 16);
      if (!(size <= 64 << 20)) continue;
      const bytes = Buffer.alloc(size);
      attempt(() => { fs.readSync(memory, bytes, 0, size, parseInt(from, 16)); look('memory', pid, bytes); });
    }
  });
}
const walk = (folder, depth) => attempt(() => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory() && depth > 0 && entry.name !== 'node_modules') walk(at, depth - 1);
    if (entry.isFile()) attempt(() => look('file', at, fs.readFileSync(at)));
  }
});
for (const folder of [process.env.HOME, process.cwd(), '/tmp', '/run', '/var/tmp', '/etc']) walk(folder, 6);
console.log('READ', JSON.stringify(read));
`;

const CHECK_SEARCH = 'node search.cjs > seen.txt; cat seen.txt; ! grep FOUND seen.txt && grep -q READ seen.txt\n';

/** Credentials as a person has them, with the header in which they reach the provider. */
const CREDENTIALS = [
  { variable: 'ANTHROPIC_API_KEY', secret: 'sk-ant-api03-una-0123456789-abcdefghij', header: 'x-api-key' },
  { variable: 'CLAUDE_CODE_OAUTH_TOKEN', secret: 'sk-ant-oat01-una-0123456789-abcdefghij', header: 'authorization' },
] as const;

describe.each(BACKENDS)('the credential of the real client inside $backend', ({ backend, missing }) => {
  let made: ClientProject;
  afterEach(() => made.remove());

  test.skipIf(!binary || missing).each(CREDENTIALS)(
    '$variable reaches the provider, and stays outside',
    backend === 'container' ? { tags: ['long'] } : {},
    async ({ variable, secret, header }) => {
      const hex = Buffer.from(secret).toString('hex');
      const search = `KEY_IN_HEX=${hex} node search.cjs`;
      const script: Script = ({ raw, turn }) => {
        if (!/Mode: \*\*implement\*\*/.test(raw)) return status('REVIEW: APPROVED', 'RECOMMENDATION: it holds');
        if (turn === 1) return { tools: [bash(search)] };
        if (turn === 2) return { tools: [bash('echo hello world > greet.txt')] };
        return status('TESTS_STATUS: PASSING', 'RECOMMENDATION: ready for review');
      };
      made = await makeClientProject(
        binary as string,
        () => script,
        {
          files: { 'greet.txt': 'hello\n', 'search.cjs': SEARCH, 'check-search.sh': CHECK_SEARCH },
          verifyCommands: [`KEY_IN_HEX=${hex} sh check-search.sh`],
          stories: [{ id: 'US-001', title: 'Greet the world' }],
        },
        { isolation: { backend, required: true } },
      );
      const { ANTHROPIC_API_KEY: _key, IS_SANDBOX: _sandbox, ...env } = made.env;
      const { code, stdout } = await made.project.ralph(['run'], {
        ...env,
        [variable]: secret,
        RALPH_ISOLATION_BACKEND: '',
      });
      expect(code, stdout).toBe(0);
      const sent = made.server.requests.map(({ headers }) => headers[header]);
      expect(new Set(sent)).toEqual(new Set([header === 'authorization' ? `Bearer ${secret}` : secret]));
      const told = made.server.requests.map(toldIn).join('\n');
      expect(told.match(/FOUND \w+ [^\\"]*/g)).toBeNull();
      const [, counts = '{}'] = /READ (\{.*?\})/.exec(told.replaceAll(/\\+"/g, '"')) ?? [];
      expect(Object.keys(JSON.parse(counts)).sort()).toEqual(['cmdline', 'environ', 'file', 'memory', 'variable']);
    },
  );
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
