import { describe, expect, test } from 'vitest';
import { manualRoff } from '../../scripts/build/roff.ts';
import { displayWidth, plain } from '../surfaces/terminal/index.ts';
import { memoryIo } from '../surfaces/terminal/io.fixture.ts';
import { runCli } from './cli.ts';
import { allManuals, manualText } from './help.ts';
import { longName } from './table/spec.ts';
import { commands, groups } from './table.ts';

const table = { commands, groups };

async function ralph(line: readonly string[], parts: Parameters<typeof memoryIo>[0] = {}) {
  const io = memoryIo(parts);
  const code = await runCli(line, io);
  return { code, out: io.out(), err: io.err() };
}

test('ralph help COMMAND is that of --help; of an alias, a group and ralph itself, too', async () => {
  for (const words of [['run'], ['build'], ['stories', 'add'], ['stories'], []]) {
    const help = await ralph(['help', ...words]);
    expect(help).toEqual(await ralph([...words, '--help']));
    expect(help.code).toBe(0);
  }
});

test('what is no command is refused with the nearest one', async () => {
  const { code, err } = await ralph(['help', 'stories', 'shwo']);
  expect({ code, err }).toEqual({
    code: 2,
    err: "Error: there is no command 'stories shwo'. Did you mean stories show? (see: ralph --help)\n",
  });
});

test('headings are bold on a terminal, and plain in a pipe', async () => {
  const [onTerminal, inPipe] = [await ralph(['run', '--help'], { isTTY: true }), await ralph(['run', '--help'])];
  expect(onTerminal.out).toContain('\u001b[1mOPTIONS\u001b[22m\n');
  expect(inPipe.out).not.toContain('\u001b');
});

test('the help of ralph lists at most 14 commands and says how many more there are', async () => {
  const [short, all] = [(await ralph(['--help'])).out, (await ralph(['--help', '--all'])).out];
  const names = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''));
  const listed = (out: string) => [...names].filter((name) => new RegExp(`^  ${name}[ ,]`, 'm').test(out)).length;
  expect(listed(all)).toBe(names.size);
  expect(listed(short)).toBeLessThanOrEqual(14);
  expect(short).toContain(`\n${names.size - listed(short)} more commands, `);
});

test('a long table of flags shows the usual ones, and with --all every flag under headings', async () => {
  const [short, all] = [await ralph(['help', 'run']), await ralph(['help', 'run', '--all'])];
  expect(await ralph(['run', '--help', '--all'])).toEqual(all);
  for (const heading of ['OPTIONS', 'LIMITS', 'ISOLATION', 'GIT', 'WATCHING', 'EXIT STATUS', 'SEE ALSO'])
    expect(all.out).toMatch(new RegExp(`^${heading}$`, 'm'));
  const flags = (out: string) => out.match(/^ {2}(?:-\w, )?--[a-z-]+/gm)?.length ?? 0;
  expect(flags(short.out)).toBeLessThanOrEqual(15);
  expect(short.out).toContain(`\n${flags(all.out) - flags(short.out)} more options, `);
});

test('what a short help shows is there', () => {
  for (const { everyday, flags = [] } of commands)
    for (const name of everyday?.split(' ') ?? []) expect(flags.some((one) => longName(one) === name)).toBe(true);
});

describe.each([40, 60, 80, 200])('%d columns wide', (columns) => {
  test.each(allManuals(table).map((manual) => [manual.name, manual] as const))('%s fits', (_name, manual) => {
    for (const line of manualText(manual, { columns, paint: plain })) {
      // Commands to be copied and words that are wider stay whole.
      if (line.trim().includes(' ') && !line.startsWith('  ralph ') && !/^\s*[-"']/.test(line))
        expect(displayWidth(line), line).toBeLessThanOrEqual(Math.max(columns, 40));
    }
  });
});

test('what a manual refers to is there', () => {
  const names = new Set(commands.map(({ name }) => name));
  for (const { seeAlso = [] } of commands) {
    for (const one of seeAlso) if (!one.includes('/')) expect(names).toContain(one);
  }
});

test('roff gets no character that it would take for its own', () => {
  const manual = {
    name: 'ralph x',
    summary: "it's a \\ test",
    synopsis: ['ralph x'],
    sections: [{ heading: 'Description', paragraphs: ['.starts like a request · and ends'] }],
  };
  expect(manualRoff(manual, '1.2.3').split('\n').slice(1)).toEqual([
    '.SH NAME',
    'ralph\\-x \\- it\\(aqs a \\e test',
    '.SH SYNOPSIS',
    '.B ralph x',
    '.SH "DESCRIPTION"',
    '\\&.starts like a request \\[u00B7] and ends',
    '',
  ]);
});
