import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claude } from '../../src/adapters/agents/claude/adapter.ts';
import { startAgent } from '../../src/adapters/agents/index.ts';
import { noIsolation } from '../../src/adapters/isolation/choose.ts';
import { GHOST_FILES } from '../../src/adapters/isolation/srt/settings.ts';
import { runCommand, systemClock } from '../../src/platform/index.ts';
import { testAgents, testConfig, testTask } from '../support/agent-task.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { needs } from '../support/debian.ts';
import { inOrder, startModelServer } from '../support/model-server.ts';

const binary = await claudeBinary();
const missing = binary === null ? whyNoClaude() : process.platform === 'linux' ? await needs('bwrap', 'socat') : null;
if (missing) console.warn(`The client's own sandbox is not tested: ${missing}`);

describe.skipIf(missing)("the real client's own sandbox around its shell", () => {
  let root = '';
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'ralph-bash-')));
    for (const folder of ['repo', 'tmp', 'outside']) await mkdir(join(root, folder));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('keeps shell commands inside the project and allows ordinary work', async () => {
    const repo = join(root, 'repo');
    const git = (...args: string[]) => runCommand('git', args, { cwd: repo });
    await git('init', '-q', '-b', 'main');
    await writeFile(join(repo, '.git/info/exclude'), `${GHOST_FILES.join('\n')}\n`);
    await writeFile(join(repo, 'package.json'), '{"name":"x","version":"1.0.0","scripts":{"test":"node --test"}}');
    await writeFile(
      join(repo, 'a.test.cjs'),
      `const { test } = require('node:test');
test('listens', (_, done) => {
  const server = require('node:net').createServer().listen(0, '127.0.0.1', () => server.close(done));
});`,
    );

    const server = await startModelServer(
      inOrder(
        { tools: [{ name: 'Bash', input: { command: `echo x >${root}/outside/file; echo "write: $?"` } }] },
        {
          tools: [
            {
              name: 'Bash',
              input: { command: `echo x >${root}/outside/file; echo "asked: $?"`, dangerouslyDisableSandbox: true },
            },
          ],
        },
        { tools: [{ name: 'Bash', input: { command: 'npm test >npm.log 2>&1; echo "tests: $?"; rm npm.log' } }] },
        { tools: [{ name: 'Bash', input: { command: 'git add -A && git commit -qm work; echo "commit: $?"' } }] },
        'finished',
      ),
    );
    const config = testConfig({ agents: testAgents({ claude: { command: binary ?? '', bashSandbox: true } }) });
    const env = await clientEnvironment(root, server.url);
    const { result } = await startAgent(
      claude,
      testTask({ cwd: repo, tempDir: join(root, 'tmp'), run: `bash-${process.pid}`, env, config, model: 'm' }),
      {
        isolation: noIsolation(),
        mounts: [],
        clock: systemClock,
        timeoutMs: 300_000,
        idleTimeoutMs: 60_000,
        signal: new AbortController().signal,
        onEvent: () => {},
        onOutput: () => {},
      },
    );
    await server.close();

    expect(result).toMatchObject({ ok: true, text: 'finished' });
    const seen = server.requests.map(({ raw }) => raw).join('\n');
    for (const line of ['write: 1', 'asked: 1', 'tests: 0', 'commit: 0']) expect(seen).toContain(line);
    await expect(stat(join(root, 'outside/file'))).rejects.toThrow();
    const { stdout } = await git('log', '--name-only', '--format=%s');
    expect(stdout.toString('utf8').trim().split(/\n+/)).toEqual(['work', 'a.test.cjs', 'package.json']);
  });
});
