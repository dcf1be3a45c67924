import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/** What of a configuration takes effect only when a person trusted it. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const STEPS = [{ do: [{ write: { path: 'new.txt', content: 'new\n' } }, READY] }];
/** Leaves a mark in the home folder where it runs. */
const MARK = (name: string) =>
  `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.HOME + '/${name}', '');`;
const CODE = `${MARK('ran')} export default {};\n`;

let project: Project;
afterEach(() => project?.remove());

const make = async (files: Readonly<Record<string, string>>, more: ProjectOptions = {}) => {
  project = await makeProject({ stories: [{ id: 'US-001' }], files, steps: STEPS, ...more });
};
const person = { RALPH_TRUST: '' };
const ran = (name = 'ran') =>
  readFile(join(project.outside, name)).then(
    () => true,
    () => false,
  );

test.each([[[]], [['status']], [['doctor']], [['config']], [['stories']], [['run', '--dry-run']]])(
  'ralph %j does not run a configuration that nobody trusted, and says so',
  async (args) => {
    await make({ 'ralph.config.js': CODE });
    const { stderr, stdout } = await project.ralph(args, person);
    expect(await ran()).toBe(false);
    if (args[0] !== 'stories') expect(stderr + stdout).toContain('ralph trust');
  },
);

test('a run refuses it with the command that trusts it; trusted, it counts, and changed it is refused again', {
  tags: ['promise'],
}, async () => {
  await make({ 'ralph.config.js': `import './more.js'; ${CODE}`, 'more.js': '' });
  const refused = await project.run(['--once'], person);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('ralph trust');
  expect((await project.ralph(['trust'], person)).code).toBe(1);
  const trusted = await project.ralph(['trust', '--yes'], person);
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.stdout).toContain('file more.js');
  expect((await project.run(['--once'], person)).code).toBe(1);
  expect(await ran()).toBe(true);
  await project.write('more.js', MARK('changed'));
  const changed = await project.ralph(['status'], person);
  expect(changed.stderr).toContain('ralph trust');
  expect(await ran('changed')).toBe(false);
  const shown = await project.ralph(['trust'], person);
  expect(shown.stdout).toContain('changed  file more.js');
});

test('a file that takes the place of what was trusted by its name is refused when it is loaded', async () => {
  await make({
    'package.json': '{ "name": "shop", "exports": "./index.js" }\n',
    'ralph.config.js': `const { default: x } = await import(['sh', 'op'].join('')); ${CODE}`,
    'index.js': 'export default 1;\n',
  });
  expect((await project.ralph(['trust', '--yes'], person)).stderr).toContain(
    'index.js has changed since it was trusted',
  );
  expect(await ran()).toBe(false);
});

test('settings that weaken what holds agents need trust, others do not', async () => {
  await make({ 'ralph.config.json': '{ "isolation": { "backend": "none" }, "env": { "pass": ["DEPLOY_KEY"] } }\n' });
  const refused = await project.run(['--once'], person);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('isolation.backend, env.pass');
  await project.write('ralph.config.json', '{ "maxIterations": 3 }\n');
  await project.git('commit', '-qam', 'settings');
  expect((await project.run(['--once'], person)).code).toBe(1);
});

test('what `ralph config set` wrote is trusted, and what an agent adds to it is not', async () => {
  await make({});
  expect((await project.ralph(['config', 'set', 'env.pass', 'PORT'], person)).code).toBe(0);
  await project.git('add', '-A');
  await project.git('commit', '-qm', 'settings');
  expect((await project.ralph(['trust'], person)).code).toBe(0);
  await project.write('ralph.config.json', '{ "env": { "pass": ["*"] } }\n');
  const asked = await project.ralph(['trust'], person);
  expect(asked.stdout).toContain('env.pass = ["*"]   (trusted before: ["PORT"])');
  expect(asked.code).toBe(1);
});

test('a plugin is loaded as it was trusted, whatever takes its place on the way', async () => {
  await make({
    'ralph.config.json': '{ "plugins": ["./plugins/mine.js"] }\n',
    'package.json': '{ "type": "module" }\n',
    'plugins/mine.js':
      "import { help } from './helper/index.js'; help(); export default { name: 'mine', onEvent() {} };\n",
    'plugins/helper/index.js': 'export const help = () => {};\n',
  });
  expect((await project.ralph(['trust', '--yes'], person)).code).toBe(0);
  expect((await project.run(['--once'], person)).stdout).not.toContain('failed');
  await project.write('plugins/helper/index.js', `${MARK('replaced')} export const help = () => {};\n`);
  await project.git('commit', '-qam', 'replaced');
  expect((await project.run(['--once'], person)).code).toBe(2);
  expect(await ran('replaced')).toBe(false);
});

test('an agent can trust nothing, and --trust is said in the first lines', async () => {
  await make({ 'ralph.config.json': '{ "env": { "pass": ["X"] } }\n' });
  expect(await project.ralph(['trust', '--yes'], { ...person, RALPH_RUN_ID: 'r' })).toMatchObject({ code: 2 });
  const { code, stdout } = await project.run(['--once', '--trust'], person);
  expect({ code, told: stdout.includes('Trusted without asking (--trust or RALPH_TRUST): env.pass.') }).toEqual({
    code: 1,
    told: true,
  });
});

test('a damaged store trusts nothing, and is written anew', async () => {
  await make({ 'ralph.config.json': '{ "env": { "pass": ["X"] } }\n' });
  await mkdir(join(project.outside, '.local/state/ralph'), { recursive: true });
  await writeFile(join(project.outside, '.local/state/ralph/trust.json'), '{ "version": 1, "trusted": [');
  expect((await project.run(['--once'], person)).code).toBe(2);
  expect((await project.ralph(['trust', '--yes'], person)).code).toBe(0);
  expect((await project.run(['--once'], person)).code).toBe(1);
});

test('an MCP server is started as it was trusted, and one that is not there is said before any branch', async () => {
  const servers = (command: string) => JSON.stringify({ mcpServers: { browser: { command } } });
  await make({ '.mcp.json': servers('npx') });
  const set = (names: string) => project.ralph(['config', 'set', 'agents.claude.mcp', names], person);
  const commit = () => project.git('commit', '-qam', 'settings');
  await set('brwser');
  await project.git('add', '-A');
  await commit();
  const unknown = await project.ralph(['run'], person);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain("did you mean 'browser'?");
  await set('browser');
  await commit();
  expect((await project.ralph(['doctor'], person)).stdout).toMatch(/✓ tools claude +browser \(.mcp.json: npx\)/);
  await project.write('.mcp.json', servers('elsewhere'));
  await commit();
  const changed = await project.ralph(['run'], person);
  expect(changed).toMatchObject({ code: 2 });
  expect(changed.stderr).toContain('not trusted on this machine: mcp browser');
  const asked = await project.ralph(['trust'], person);
  expect(asked.stdout).toContain('mcp browser = {"command":"elsewhere"}   (trusted before: {"command":"npx"})');
  expect(await project.git('branch', '--format=%(refname:short)')).toBe('main');
});
