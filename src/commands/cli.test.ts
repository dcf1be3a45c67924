import { describe, expect, test } from 'vitest';
import { type MemoryIo, memoryIo } from '../surfaces/terminal/io.fixture.ts';
import { runCli } from './cli.ts';
import { commands, groups } from './table.ts';

async function ralph(line: readonly string[], io: MemoryIo = memoryIo()) {
  const code = await runCli(line, io);
  return { code, out: io.out(), err: io.err() };
}

const words = (name: string) => name.split(' ');

describe.each(commands.map((spec) => [spec.name, spec] as const))('ralph %s', (name, spec) => {
  test('--help --all shows what it does, every flag and an example', async () => {
    const { code, out, err } = await ralph([...words(name), '--help', '--all']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replace(/\s+/g, ' ')).toContain(spec.summary);
    for (const flag of spec.flags ?? []) expect(out.includes(flag.flags)).toBe(!flag.hidden);
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const [command] of spec.examples) expect(unbroken(out)).toContain(command);
  });

  test('its examples name the command itself and only flags that it has', () => {
    const flags = (spec.flags ?? []).flatMap((flag) => flag.flags.match(/--?[a-z-]+/g) ?? []);
    const names = [
      spec.name,
      ...(spec.alias ? [spec.alias] : []),
      ...groups.filter((group) => spec.name === `${group.name} ${group.default}`).map((group) => group.name),
    ];
    for (const [command] of spec.examples) {
      expect(names.some((one) => `${command} `.startsWith(`ralph ${one} `))).toBe(true);
      for (const used of command.replace(/"[^"]*"|'[^']*'/g, '').match(/(?<=\s)--?[a-z][a-z-]*/g) ?? [])
        expect(flags).toContain(used);
    }
  });

  test('an unknown flag ends with 2 and one line that names the nearest one', async () => {
    const { code, out, err } = await ralph([...words(name), '--hepl']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`Error: unknown option '--hepl'. Did you mean --help? (see: ralph ${name} --help)\n`);
  });
});

test.each(commands.filter((spec) => !spec.forAgents).map((spec) => [spec.name, spec] as const))(
  'ralph %s refuses inside an agent',
  async (name, spec) => {
    const args = (spec.args ?? []).map(() => 'x');
    const { code, out, err } = await ralph([...words(name), ...args], memoryIo({ env: { RALPH_RUN_ID: 'r1' } }));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ralph ${name} is not for agents`);
  },
);

test('commands that only look are allowed inside an agent', () => {
  const looking = commands.filter((spec) => spec.forAgents).map((spec) => spec.name);
  expect(looking).toEqual([
    'status',
    'questions',
    'circuit status',
    'monitor',
    'report',
    'replay',
    'import',
    'completion',
    'stream list',
    'stream status',
    'stream logs',
    'fleet status',
    'stories list',
    'stories show',
    'stories next',
    'validate',
    'log',
    'rescue list',
    'rescue show',
    'help',
    'doctor',
    'plugins',
    'sandbox status',
    'config list',
    'config get',
    'config schema',
    'hooks status',
    'hooks run',
    'guard explain',
    'guard test',
    'verdict explain',
    'verdict test',
    'mcp',
  ]);
});

describe('what cannot be understood ends with 2 and one line', () => {
  test.each([
    [['rnu'], "unknown command 'rnu'. Did you mean run? (see: ralph --help)"],
    [['frobnicate'], "unknown command 'frobnicate' (see: ralph --help)"],
    [['stories', 'lst'], "unknown command 'lst'. Did you mean list? (see: ralph stories --help)"],
    [['run', '--stroy', 'US-001'], "unknown option '--stroy'. Did you mean --story? (see: ralph run --help)"],
    [['stories', '--jsno'], "unknown option '--jsno'. Did you mean --json? (see: ralph stories list --help)"],
    [['run', '--timeout'], "option '--timeout <duration>' argument missing (see: ralph run --help)"],
    [['run', '1', '2'], "too many arguments for 'run'. Expected 1 argument but got 2 (see: ralph run --help)"],
    [['stories', 'show'], "missing required argument 'id' (see: ralph stories show --help)"],
    [['--json'], "unknown option '--json' (see: ralph --help)"],
  ])('%j', async (line, message) => {
    expect(await ralph(line)).toEqual({ code: 2, out: '', err: `Error: ${message}\n` });
  });
});

describe('values that a flag does not take end with 2 and say what is accepted', () => {
  test.each([
    [['run', 'many'], "the number of iterations must be a whole number of at least 1, or a task in quotes, got 'many'"],
    [['run', '-n', '0'], "--max-iterations must be a whole number of at least 1, got '0'"],
    [['run', '--review-cap', '1.5'], "--review-cap must be a whole number of at least 1, got '1.5'"],
    [
      ['run', '--rollback', 'nevr'],
      "--rollback does not take 'nevr'; accepted: iteration-end, immediate, never (did you mean never?)",
    ],
    [['run', '--dirty', 'commit'], "--dirty does not take 'commit'; accepted: refuse, stash, keep"],
    [
      ['run', '--timeout', 'soon'],
      "--timeout does not take 'soon'; accepted: '90s', '15m', '1h30m', '2h' or a plain number of seconds",
    ],
    [['init', '--layout', 'prod'], "--layout does not take 'prod'; accepted: ralph, prd (did you mean prd?)"],
    [['init', '--prd', '../x'], "--prd must be a whole number of at least 1, got '../x'"],
    [
      ['rescue', 'prune', '--older-than', 'x'],
      "--older-than does not take 'x'; accepted: '90s', '15m', '1h30m', '2h' or a plain number of seconds",
    ],
  ])('%j', async (line, message) => {
    expect(await ralph(line)).toEqual({ code: 2, out: '', err: `Error: ${message}\n` });
  });
});

/** Long examples go on in the next line, as a shell reads them. */
const unbroken = (text: string) => text.replace(/ \\\n\s+/g, ' ');

test.each([
  [['prnue', '--help'], "unknown command 'prnue'. Did you mean prune? (see: ralph --help)"],
  [['stories', 'shwo', '-h'], "unknown command 'shwo'. Did you mean show? (see: ralph stories --help)"],
  [['xyzzy', 'now', '--help'], "unknown command 'xyzzy' (see: ralph --help)"],
])('ralph %j has no help: 2, and the nearest name', async (line, message) => {
  const io = memoryIo();
  expect(await runCli(line, io)).toBe(2);
  expect(io.err()).toBe(`Error: ${message}\n`);
  expect(io.out()).toBe('');
});

test('the help of ralph lists every command and group', async () => {
  const { code, out } = await ralph(['--help', '--all']);
  expect(code).toBe(0);
  for (const spec of commands) expect(out).toMatch(new RegExp(`^  ${words(spec.name)[0]}`, 'm'));
});

test.each(groups.map((group) => group.name))(
  'ralph %s --help lists its commands with an example each',
  async (name) => {
    const { code, out } = await ralph([name, '--help']);
    expect(code).toBe(0);
    for (const spec of commands.filter((one) => one.name.startsWith(`${name} `))) {
      expect(out).toMatch(new RegExp(`^  ${words(spec.name)[1]} `, 'm'));
      expect(unbroken(out)).toContain(spec.examples[0]?.[0]);
    }
  },
);

test('a value may be written with an equals sign', async () => {
  expect((await ralph(['run', '--rollback=nevr'])).err).toContain("--rollback does not take 'nevr'");
});

test('there is no stack trace, unless it is asked for', async () => {
  expect((await ralph(['run', 'x'])).err).not.toContain('    at ');
  expect((await ralph(['run', 'x'], memoryIo({ env: { RALPH_DEBUG: '1' } }))).err).toContain('    at ');
});

test('ralph config schema prints a JSON Schema', async () => {
  expect(JSON.parse((await ralph(['config', 'schema'])).out)).toMatchObject({
    properties: { maxIterations: { type: 'integer' } },
  });
});
