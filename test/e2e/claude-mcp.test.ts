// @module-tag long
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the servers' files.
import { cp, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import { bash, status, toldIn } from '../support/client-talk.ts';
import { findProgram, needs } from '../support/debian.ts';
import { installed } from '../support/installed.ts';
import type { Script } from '../support/model-server.ts';
import type { Turn } from '../support/model-turn.ts';
import { NOTES_SERVER } from '../support/notes-server.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);
const missing = await needs('bwrap');
const browser = await installed('playwright-mcp', 'node_modules/@playwright/mcp');
const noBrowser = missing ?? browser.why ?? (await needs('chromium'));

const SKILL = (description: string) => `---\nname: deploy\ndescription: ${description}\n---\nDeploy it.\n`;
/** No guard sees what a program does. */
const CHANGE = `const fs = require('fs');
fs.writeFileSync('.mcp.json', '{}');
fs.writeFileSync('.claude/skills/deploy/SKILL.md', ${JSON.stringify(SKILL('changed by the agent'))});
`;
const TOKEN = 'token-of-the-remote-server-0123456789';

let made: ClientProject;
let remote: Server | null = null;
afterEach(async () => {
  remote?.close();
  remote = null;
  await made.remove();
});

/** A server on this machine, seen inside only by way of the gateway. */
async function serveNotes(seen: (string | undefined)[]): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    seen.push(request.headers.authorization);
    const { answer } = createRequire(import.meta.url)(join(made.project.root, 'notes.cjs'));
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message, () => 'said from afar');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  remote = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const SERVED = {
  'notes.cjs': NOTES_SERVER,
  'change.cjs': CHANGE,
  '.claude/skills/deploy/SKILL.md': SKILL('as before'),
};

const make = async (script: Script, agent: object, files: Readonly<Record<string, string>>) => {
  made = await makeClientProject(
    binary as string,
    () => script,
    {
      files,
      verifyCommands: ['test -e .mcp.json'],
      stories: [{ id: 'US-001', title: 'Greet the world' }],
    },
    { isolation: { backend: 'bwrap', required: true }, agents: { claude: { command: binary, ...agent } } },
  );
};

const byMode =
  (implement: readonly Turn[], review: readonly Turn[]): Script =>
  ({ raw, turn }) =>
    (/Mode: \*\*implement\*\*/.test(raw) ? implement : review)[turn - 1] ?? 'done';

test.skipIf(!binary || missing)(
  'a server of the project runs inside, one elsewhere gets its key from the gateway, and skills stay as they were',
  async () => {
    const seen: (string | undefined)[] = [];
    const implement: readonly Turn[] = [
      { tools: [{ name: 'mcp__notes__say', input: {} }] },
      { tools: [{ name: 'mcp__afar__say', input: {} }] },
      { tools: [bash('node change.cjs')] },
      { tools: [bash('echo hello world > greet.txt')] },
      status('TESTS_STATUS: PASSING', 'RECOMMENDATION: ready for review'),
    ];
    const review: readonly Turn[] = [
      { tools: [{ name: 'mcp__notes__say', input: {} }] },
      status('REVIEW: APPROVED', 'RECOMMENDATION: it holds'),
    ];
    const asked = { mcp: ['notes', 'afar'], skills: true };
    await make(byMode(implement, review), asked, SERVED);
    const port = await serveNotes(seen);
    const notes = {
      command: 'node',
      args: ['notes.cjs', '${WORD:-there}', Buffer.from(TOKEN).toString('hex')],
      env: { GREETING: '${GREETING}' },
    };
    const afar = { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer ${AFAR}' } };
    await made.project.write(
      '.mcp.json',
      JSON.stringify({ mcpServers: { notes, afar, unused: { command: 'false' } } }),
    );
    await made.project.git('add', '-A');
    await made.project.git('commit', '-qm', 'servers');
    const { IS_SANDBOX: _, ...env } = made.env;
    const { code, stdout, stderr } = await made.project.ralph(['run'], {
      ...env,
      ...{ GREETING: 'hi', AFAR: TOKEN, RALPH_ISOLATION_BACKEND: '' },
    });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const { requests } = made.server;
    const told = requests.map(toldIn);
    expect(told[1]).toContain('hi there searched and found 0');
    expect(told[2]).toContain('said from afar');
    expect(told.slice(5).join('')).toContain('hi there searched and found 0');
    expect(new Set(seen)).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(requests.every(({ raw }) => !raw.includes('mcp__unused'))).toBe(true);
    expect(await made.project.read('.mcp.json')).toContain('notes.cjs');
    // The reviewer goes by the skill as it was when the run began.
    expect(await made.project.read('.claude/skills/deploy/SKILL.md')).toContain('changed by the agent');
    expect(requests.at(-1)?.raw).toContain('as before');
    expect(requests.at(-1)?.raw).not.toContain('changed by the agent');
  },
);

const SERVE = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<title>Shop</title><body style="background:#135;color:white;font:40px sans-serif"><h1>A page of a story</h1>');
}).listen(8123, '127.0.0.1');`;

test.skipIf(!binary || noBrowser)('a browser that starts inside looks at a page, and its picture is work', async () => {
  const playwright = {
    command: 'node_modules/.bin/playwright-mcp',
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', findProgram('chromium')],
  };
  const use = (name: string, input: Readonly<Record<string, unknown>>): Turn => ({
    tools: [{ name: `mcp__playwright__${name}`, input }],
  });
  const implement: readonly Turn[] = [
    { tools: [bash('node serve.cjs >/dev/null 2>&1 & until curl -so /dev/null 127.0.0.1:8123; do sleep 0.1; done')] },
    use('browser_navigate', { url: 'http://127.0.0.1:8123/' }),
    use('browser_take_screenshot', { filename: 'docs/page.png', type: 'png' }),
    status('TESTS_STATUS: PASSING', 'RECOMMENDATION: ready for review'),
  ];
  const review: readonly Turn[] = [
    { tools: [{ name: 'Read', input: { file_path: 'docs/page.png' } }] },
    status('REVIEW: APPROVED', 'RECOMMENDATION: it holds'),
  ];
  const files = {
    '.gitignore': 'node_modules\n.playwright-mcp\n',
    '.mcp.json': JSON.stringify({ mcpServers: { playwright } }),
    'serve.cjs': SERVE,
  };
  await make(byMode(implement, review), { mcp: ['playwright'] }, files);
  const { project, server, env } = made;
  const packages = dirname(dirname(browser.path as string));
  await cp(packages, join(project.root, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  const { code, stdout } = await project.ralph(['run'], { ...env, RALPH_ISOLATION_BACKEND: '' });
  expect(code, stdout).toBe(0);
  const told = server.requests.map(toldIn);
  expect(told[2]).toContain('Page Title: Shop');
  expect(told[3]).toContain('docs/page.png');
  expect(told.join('')).toContain('"media_type":"image/png"');
  const picture = await readFile(join(project.root, 'docs/page.png'));
  expect([picture.toString('latin1', 1, 4), picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([
    'PNG',
    1280,
    720,
  ]);
  expect(await project.git('ls-files', 'docs')).toBe('docs/page.png');
});
