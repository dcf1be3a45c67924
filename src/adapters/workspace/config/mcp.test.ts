import { expect, test } from 'vitest';
import { writeAtomic } from '../../../platform/index.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { loadConfig } from './config.ts';
import { askedIn, findServers, findSkills } from './mcp.ts';
import { freeze, trust } from './trust.ts';

const servers = (...commands: readonly (readonly [name: string, command: string])[]) => ({
  mcpServers: Object.fromEntries(commands.map(([name, command]) => [name, { command }])),
});
const NAMED = { agents: { claude: { mcp: ['notes'] } } };

async function place(project: object, settings: object = NAMED) {
  const home = await tempTree();
  const root = await tempTree({
    '.git/': '',
    '.mcp.json': JSON.stringify(project),
    'ralph.config.json': JSON.stringify(settings),
  });
  return { root, home, env: { HOME: home, XDG_STATE_HOME: `${home}/state` } };
}

test("servers are found as Claude Code finds them: one's own here, the project's, one's own everywhere", async () => {
  const { root, home, env } = await place(servers(['a', 'project'], ['b', 'project']));
  const here = { [root]: servers(['a', 'here']), '/elsewhere': servers(['d', 'elsewhere']) };
  const own = { ...servers(['a', 'own'], ['b', 'own'], ['c', 'own']), projects: here };
  await writeAtomic(`${home}/.claude.json`, JSON.stringify(own));
  const found = Object.entries(await findServers(root, env));
  expect(found.map(([name, { from, definition }]) => [name, from, definition]).sort()).toEqual([
    ['a', `${home}/.claude.json`, { command: 'here' }],
    ['b', '.mcp.json', { command: 'project' }],
    ['c', `${home}/.claude.json`, { command: 'own' }],
  ]);
  await writeAtomic(`${home}/other/.claude.json`, JSON.stringify(servers(['e', 'other'])));
  expect(await findServers(root, { ...env, CLAUDE_CONFIG_DIR: `${home}/other` })).toHaveProperty('e');
});

test('a broken file of the project is told', async () => {
  const { root, env } = await place({});
  await writeAtomic(`${root}/.mcp.json`, '{');
  expect(await messageOf(findServers(root, env))).toContain('.mcp.json cannot be used');
});

test('what the project says of a server that is named needs trust, and nothing else of its file', async () => {
  const { root, env } = await place(servers(['notes', 'x'], ['unused', 'y']));
  const asked = { 'agents.claude.mcp': '["notes"]', 'mcp notes': '{"command":"x"}' };
  expect(await askedIn(root, env, NAMED, false)).toEqual(asked);
  expect(await askedIn(root, { ...env, RALPH_AGENTS_CODEX_MCP: '["unused"]' }, {}, false)).toEqual({
    'mcp unused': '{"command":"y"}',
  });
  const load = () => loadConfig({ root, env, flags: {}, onUntrusted: 'refuse' });
  await trust(env, root, { 'agents.claude.mcp': '["notes"]' });
  expect(await messageOf(load())).toContain('not trusted on this machine: mcp notes');
  const left = await loadConfig({ root, env, flags: {}, onUntrusted: 'leave-out' });
  expect(left.config.agents.claude.mcp).toEqual([]);
  expect(left.distrust[0]).toContain('left out: mcp notes');
  await trust(env, root, asked);
  expect((await load()).config.agents.claude.mcp).toEqual(['notes']);
});

test('what the environment names is held to trust without any file of settings', async () => {
  const { env } = await place({});
  const root = await tempTree({ '.git/': '', '.mcp.json': JSON.stringify(servers(['notes', 'x'])) });
  const load = () =>
    loadConfig({ root, env: { ...env, RALPH_AGENTS_CLAUDE_MCP: 'notes' }, flags: {}, onUntrusted: 'refuse' });
  expect(await messageOf(load())).toContain('.mcp.json asks for settings that are not trusted');
  await trust(env, root, { 'mcp notes': '{"command":"x"}' });
  expect((await load()).config.agents.claude.mcp).toEqual(['notes']);
});

test('a run goes by the definitions and skills that it began with', async () => {
  const settings = { agents: { claude: { mcp: ['notes'], skills: true } } };
  const { root, env } = await place(servers(['notes', 'as before']), settings);
  await writeAtomic(`${root}/.claude/skills/a/SKILL.md`, 'as before');
  await freeze(root, 'work tree');
  await loadConfig({ root, env: { ...env, RALPH_TRUST: '1' }, flags: {}, onUntrusted: 'refuse' });
  await writeAtomic(`${root}/.claude/skills/a/SKILL.md`, 'planted');
  await writeAtomic(`${root}/.claude/agents/b.md`, 'planted');
  await writeAtomic(`${root}/.mcp.json`, JSON.stringify(servers(['notes', 'planted'], ['more', 'planted'])));
  expect(await findServers(root, env)).toEqual({ notes: { from: '.mcp.json', definition: { command: 'as before' } } });
  const { files } = await findSkills(root);
  expect(files.map(({ path, bytes }) => [path, String(bytes)])).toEqual([['.claude/skills/a/SKILL.md', 'as before']]);
});
