import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { configSchema, toConfig } from '../../contracts/config.ts';
import { isolationInput, readRegistryFiles } from './policy.ts';

const policyOf = (isolation: Record<string, unknown>, sources: Partial<Parameters<typeof isolationInput>[0]> = {}) =>
  isolationInput({
    settings: toConfig(configSchema.parse({ isolation })).isolation,
    env: { HOME: '/home/una' },
    workspace: { root: '/project', readOnly: [], writable: [] },
    agents: [],
    registries: [],
    openHome: () => Promise.reject(new Error('nothing is started')),
    machineMemory: 8_000_000_001,
    ...sources,
  });

const agent = (name: string, ...hosts: readonly string[]) => ({ name, inside: { hosts: () => hosts } });

test('each host says who asked for it, and the first who did counts', () => {
  const { hosts, input } = policyOf(
    { allowHosts: ['registry.npmjs.org', '*.example.com'] },
    {
      agents: [agent('claude', 'api.anthropic.com'), agent('other', 'api.anthropic.com')],
      registries: [{ grant: 'registry.npmjs.org', from: 'registry npm' }],
    },
  );
  expect(hosts).toEqual([
    { grant: 'registry.npmjs.org', from: 'registry npm' },
    { grant: '*.example.com', from: 'isolation.allowHosts' },
    { grant: 'api.anthropic.com', from: 'agent claude' },
  ]);
  expect(input.policy.hosts).toEqual(['registry.npmjs.org', '*.example.com', 'api.anthropic.com']);
});

test('what an agent needs is seen with its own variables', () => {
  const inside = { hosts: (env: Readonly<Record<string, string | undefined>>) => [env['AT'] ?? 'example.org'] };
  const { hosts } = policyOf(
    {},
    {
      agents: [
        { name: 'claude', inside, own: { AT: 'own.example.com' } },
        { name: 'codex', inside },
      ],
    },
  );
  expect(hosts).toEqual([
    { grant: 'own.example.com', from: 'agent claude' },
    { grant: 'example.org', from: 'agent codex' },
  ]);
});

test('package registries can be switched off', () => {
  const registries = [{ grant: 'registry.npmjs.org', from: 'registry npm' }];
  expect(policyOf({ registries: false }, { registries }).hosts).toEqual([]);
});

test('agents are asked with the environment of the person', () => {
  const inside = { hosts: (env: Readonly<Record<string, string | undefined>>) => [env['ENDPOINT'] ?? ''] };
  const { hosts } = policyOf({}, { env: { ENDPOINT: 'llm.example.com' }, agents: [{ name: 'claude', inside }] });
  expect(hosts).toEqual([{ grant: 'llm.example.com', from: 'agent claude' }]);
});

test('a host that is this machine becomes a local port', () => {
  const { hosts, localPorts } = policyOf(
    { localPorts: [5432, 8080], allowHosts: ['localhost:6379'] },
    { agents: [agent('claude', '127.0.0.1:8080', '[::1]:9090')] },
  );
  expect(hosts).toEqual([]);
  expect(localPorts).toEqual([
    { grant: 5432, from: 'isolation.localPorts' },
    { grant: 8080, from: 'isolation.localPorts' },
    { grant: 6379, from: 'isolation.allowHosts' },
    { grant: 9090, from: 'agent claude' },
  ]);
});

test('what only an agent with a lent credential needs is named, for backends that need not open it', () => {
  const provider = { address: 'BASE', base: 'https://llm.example', secrets: { KEY: '' } };
  const inside = { hosts: () => ['llm.example', 'shared.example', 'localhost:9000'] };
  const lendingOf = (env: Record<string, string>, hosts?: readonly string[]) => {
    const providers = [{ ...provider, ...(hosts ? { hosts } : {}) }];
    const agents = [{ name: 'claude', inside, providers }];
    return policyOf({ allowHosts: ['shared.example'] }, { env, agents }).input.policy.lending;
  };
  expect(lendingOf({ KEY: 'the-key' })).toMatchObject({
    lent: [{ agent: 'claude', base: 'https://llm.example' }],
    hosts: ['llm.example'],
    localPorts: [9000],
  });
  expect(lendingOf({ KEY: 'the-key' }, ['llm.example'])).toMatchObject({ hosts: ['llm.example'], localPorts: [] });
  expect(lendingOf({})).toEqual({ lent: [], hosts: [], localPorts: [] });
});

test('a host is open for an agent that has its key inside, also where another one has not', () => {
  const provider = { address: 'BASE', base: 'https://llm.example', secrets: { KEY: '' } };
  const agents = [
    { ...agent('claude', 'llm.example', 'own.example'), providers: [provider] },
    agent('other', 'llm.example'),
  ];
  const { hosts, input } = policyOf({}, { env: { KEY: 'the-key' }, agents });
  expect(input.policy.lending).toMatchObject({ hosts: ['own.example'] });
  expect(hosts).toEqual([
    { grant: 'llm.example', from: 'agent other' },
    { grant: 'own.example', from: 'agent claude' },
  ]);
});

test('paths may begin with the home folder, or at the root of the project', () => {
  const { policy } = policyOf({ read: ['~/.cargo', 'vendor', '/data', '~other/x'], write: ['~/out'] }).input;
  expect(policy.read).toEqual(['/home/una/.cargo', '/project/vendor', '/data', '/project/~other/x']);
  expect(policy.write).toEqual(['/home/una/out']);
});

test.each(['~', '/', '/home', '/home/una/', '/proc', '/sys/kernel', '/dev'])('%s is too much to hand over', (path) => {
  expect(() => policyOf({ read: [path] })).toThrow("do not take '");
  expect(() => policyOf({ write: [path] })).toThrow("do not take '");
});

test("ralph's own ports inside cannot be shared", () => {
  expect(() => policyOf({ localPorts: [5432, 3128] })).toThrow('port 3128 of this machine cannot be shared');
  expect(() => policyOf({ localPorts: [3129] })).toThrow('port 3129 of this machine cannot be shared');
});

test('a sandbox gets three quarters of the memory, unless the settings say how much', () => {
  expect(policyOf({}).input.policy.memoryBytes).toBe(6_000_000_000);
  expect(policyOf({ memory: '512m' }).input.policy.memoryBytes).toBe(512 * 1024 ** 2);
  expect(policyOf({}, { machineMemory: undefined as never }).input.policy.memoryBytes).toBeGreaterThan(0);
});

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-registries-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = path): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('reads the files of the root and of its workspaces', async () => {
  const wanted = [
    'package.json',
    '.npmrc',
    '.cargo/config.toml',
    'gradle/wrapper/gradle-wrapper.properties',
    'backend/go.mod',
    'packages/app/requirements-dev.txt',
    'packages/app/.cargo/config.toml',
  ];
  const others = [
    'README.md',
    'node_modules/a/package.json',
    'packages/app/node_modules/.npmrc',
    '.git/package.json',
    'a/b/c/go.mod',
    'target/Cargo.toml',
  ];
  for (const path of [...wanted, ...others]) write(path);
  expect(await readRegistryFiles(root)).toEqual(Object.fromEntries(wanted.map((path) => [path, path])));
});

it('follows no links and passes over what is too large', async () => {
  write('elsewhere.txt');
  symlinkSync(join(root, 'elsewhere.txt'), join(root, '.npmrc'));
  mkdirSync(join(root, 'go.mod'));
  write('package-lock.json', ' '.repeat(8 * 1024 * 1024 + 1));
  expect(await readRegistryFiles(root)).toEqual({});
});

it('finds nothing in a folder that is not there', async () => {
  expect(await readRegistryFiles(join(root, 'nowhere'))).toEqual({});
});
