import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { makeProject, type Project } from '../support/project.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

/** A provider that knows no such key, as the real client sees it. */
describe.skipIf(!binary)('a login that the provider refuses', () => {
  let project: Project;
  let server: Server;
  const asked: string[] = [];
  afterEach(async () => {
    server.close();
    await project.remove();
  });

  test('is found out by a free request before anything is made, and doctor remembers it until it changes', async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        asked.push(String(/"model":"([^"]*)"/.exec(body)?.[1]));
        const error = { type: 'authentication_error', message: 'invalid x-api-key' };
        response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    project = await makeProject({ stories: [{ id: 'US-001' }] });
    const settings = { agents: { claude: { command: binary } }, agent: 'claude' };
    await project.write('ralph.config.json', JSON.stringify(settings));
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'settings');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = await clientEnvironment(project.outside, address);

    const { code, stdout, stderr } = await project.ralph(['Add a flag'], env);
    expect(code, stdout).toBe(7);
    expect(stderr).toMatch(
      /^Error: the login of claude was refused\n {2}where: ANTHROPIC_API_KEY\n {2}why: {3}the answer was "Invalid API key/,
    );
    expect(stderr).not.toContain('made-up-key');
    expect(asked).toEqual(['ralph-login-check']);
    expect(await project.git('branch', '--format=%(refname:short)')).toBe('main');
    expect(await project.git('status', '--porcelain', '--ignored')).toBe('');

    const doctor = await project.ralph(['doctor'], env);
    expect(doctor.code).toBe(7);
    expect(doctor.stdout).toMatch(/✗ login claude +ANTHROPIC_API_KEY: refused on .*"Invalid API key/);
    expect((await project.ralph(['doctor'], { ...env, ANTHROPIC_API_KEY: 'another' })).stdout).toMatch(
      /✓ login claude/,
    );

    // The login of an agent that only reviews is proven too.
    await project.write(
      'ralph.config.json',
      JSON.stringify({ ...settings, agent: 'scripted', review: { agents: 'claude' } }),
    );
    await project.git('commit', '-q', '-a', '-m', 'review');
    const reviewed = await project.run([], env);
    expect(reviewed.code, reviewed.stdout).toBe(7);
    expect(reviewed.stderr).toMatch(/^Error: the login of claude was refused/);
    expect(await project.git('branch', '--format=%(refname:short)')).toBe('main');
  });
});
