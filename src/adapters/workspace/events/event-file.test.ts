import { appendFile, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RalphEvent } from '../../../contracts/index.ts';
import { systemClock } from '../../../platform/index.ts';
import { type EventFile, openEventFile } from './event-file.ts';
import { openEventLog } from './events.ts';

const RUN = '20261121-233015-k3f9';
const HEADER = '{"type":"log","version":1}\n';
let root: string;
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-events-'));
  path = `${root}/.ralph/runs/${RUN}/events.jsonl`;
  await mkdir(dirname(path), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const line = (text: string) =>
  `{"ts":"2026-11-21T00:00:00.000Z","run":"${RUN}","iteration":1,"type":"notice","level":"info","text":"${text}"}\n`;
const agentLine = (text: string) =>
  `{"ts":"2026-11-21T00:00:00.000Z","run":"${RUN}","iteration":1,"type":"agent","event":{"type":"text","text":"${text}"}}\n`;
const textOf = (event: RalphEvent) =>
  event.type === 'notice' ? event.text : event.type === 'agent' && event.event.type === 'text' ? event.event.text : '';

/** What one look finds: what it says, and the texts with their lines. */
async function look(file: EventFile, options = {}) {
  const seen: string[] = [];
  const said = await file.advance((event, at) => seen.push(`${at} ${textOf(event)}`), options);
  return [said, ...seen];
}

describe('reading on', () => {
  test('a log is read from its start, and then only what was appended', async () => {
    const file = await openEventFile(root, RUN);
    expect(await look(file)).toEqual(['same']);
    await writeFile(path, HEADER + line('one'));
    expect(await look(file)).toEqual(['grown', '1 one']);
    expect(await look(file)).toEqual(['same']);
    await appendFile(path, line('two') + line('three'));
    expect(await look(file)).toEqual(['grown', '2 two', '3 three']);
    expect(file.lines()).toBe(4);
  });

  test('a torn last line waits until it is whole', async () => {
    const text = line('whole');
    await writeFile(path, HEADER + text.slice(0, 30));
    const file = await openEventFile(root, RUN);
    expect(await look(file)).toEqual(['grown']);
    await appendFile(path, text.slice(30));
    expect(await look(file)).toEqual(['grown', '1 whole']);
  });

  test('a torn line that its writer took back is no part of the next one', async () => {
    await writeFile(path, `${HEADER}${line('one')}{"torn`);
    const file = await openEventFile(root, RUN);
    await look(file);
    await truncate(path, HEADER.length + line('one').length);
    await appendFile(path, line('two'));
    expect(await look(file)).toEqual(['grown', '2 two']);
  });

  test('characters that lie across the border of a chunk stay whole', async () => {
    const long = '€'.repeat(700_000);
    await writeFile(path, HEADER + line(long) + line('behind'));
    const file = await openEventFile(root, RUN);
    expect(await look(file)).toEqual(['grown', `1 ${long}`, '2 behind']);
  });

  test('a line of ten megabytes is an event like others', async () => {
    await writeFile(path, HEADER + line('x'.repeat(10_000_000)) + line('behind'));
    const seen: number[] = [];
    await (await openEventFile(root, RUN)).advance((event) => seen.push(textOf(event).length));
    expect(seen).toEqual([10_000_000, 6]);
  });

  test('a line too long to be held is counted and passed over', async () => {
    await writeFile(path, HEADER + line('x'.repeat(40_000_000)) + line('behind'));
    expect(await look(await openEventFile(root, RUN))).toEqual(['grown', '2 behind']);
  });

  test('garbage, empty lines and other line ends are no obstacle', async () => {
    await writeFile(path, `${HEADER}rubbish\n\n[]\n3\n${line('one').replace('\n', '\r\n')}`);
    expect(await look(await openEventFile(root, RUN))).toEqual(['grown', '5 one']);
  });

  test('a long log can be read in parts', async () => {
    await writeFile(path, HEADER + line('x'.repeat(500)).repeat(10_000));
    const file = await openEventFile(root, RUN);
    let looks = 0;
    let events = 0;
    while ((await file.advance(() => events++, { budgetMs: 0 })) === 'grown') looks += 1;
    expect(events).toBe(10_000);
    expect(looks).toBeGreaterThan(3);
  });

  test('two looks at the same time see everything once', async () => {
    await writeFile(path, HEADER + line('one') + line('two'));
    const file = await openEventFile(root, RUN);
    const looks = await Promise.all([look(file), look(file)]);
    expect(looks).toEqual([['grown', '1 one', '2 two'], ['same']]);
  });

  test('nothing is read once it is closed', async () => {
    await writeFile(path, HEADER + line('one'));
    const file = await openEventFile(root, RUN);
    file.close();
    expect(await look(file)).toEqual(['same']);
  });

  test('a log of a later version is refused, each time', async () => {
    await writeFile(path, '{"type":"log","version":2}\n');
    const file = await openEventFile(root, RUN);
    await expect(look(file)).rejects.toThrow('later version of ralph');
    await expect(look(file)).rejects.toThrow('later version of ralph');
  });
});

describe('headlines', () => {
  test('leave out what agents do, however the line is written', async () => {
    const spaced = agentLine('odd').replaceAll('":', '": ');
    await writeFile(path, HEADER + agentLine('said') + line('one') + spaced + agentLine('said').replace('\n', '\r\n'));
    expect(await look(await openEventFile(root, RUN), { headlines: true })).toEqual(['grown', '2 one']);
    expect(await look(await openEventFile(root, RUN))).toEqual(['grown', '1 said', '2 one', '3 odd', '4 said']);
  });

  test('what looks like one in a text is none', async () => {
    const text = ',\\"type\\":\\"agent\\",';
    await writeFile(path, HEADER + line(text));
    expect((await look(await openEventFile(root, RUN), { headlines: true })).length).toBe(2);
  });

  test('skip exactly what the log writes', async () => {
    const log = await openEventLog(root, RUN, systemClock);
    for (let i = 0; i < 20; i++) {
      log.emit(i * 60, { type: 'agent', event: { type: 'text', text: 'said' } });
      log.emit(i * 60, { type: 'notice', level: 'info', text: 'told' });
    }
    log.close();
    const found = await look(await openEventFile(root, RUN), { headlines: true });
    expect(found.slice(1)).toEqual(Array.from({ length: 20 }, (_, i) => `${2 * i + 2} told`));
  });
});

describe('another log in its place', () => {
  test.each([
    [
      'renamed over it',
      async () => {
        await writeFile(`${path}.new`, HEADER + line('other') + line('more'));
        await rename(`${path}.new`, path);
      },
    ],
    ['cut and written anew', () => writeFile(path, HEADER + line('other') + line('more'))],
    ['cut short', () => writeFile(path, HEADER)],
  ])('is told when it was %s, and read from its start', async (_how, replace) => {
    await writeFile(path, HEADER + line('first one'));
    const file = await openEventFile(root, RUN);
    await look(file);
    await replace();
    expect(await look(file)).toEqual(['replaced']);
    expect(file.lines()).toBe(0);
    expect((await look(file))[0]).toBe('grown');
  });

  test('a log that is gone changes nothing until there is one again', async () => {
    await writeFile(path, HEADER + line('one'));
    const file = await openEventFile(root, RUN);
    await look(file);
    await rm(`${root}/.ralph`, { recursive: true });
    expect(await look(file)).toEqual(['same']);
    expect(file.lines()).toBe(2);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, HEADER + line('new') + line('two'));
    expect(await look(file)).toEqual(['replaced']);
    expect(await look(file)).toEqual(['grown', '1 new', '2 two']);
  });

  test('links are not followed, neither the log nor its folder', async () => {
    const secret = await mkdtemp(join(tmpdir(), 'ralph-secret-'));
    try {
      await writeFile(`${secret}/events.jsonl`, HEADER + line('secret'));
      await symlink(`${secret}/events.jsonl`, path);
      expect(await look(await openEventFile(root, RUN))).toEqual(['same']);
      await rm(dirname(path), { recursive: true });
      await symlink(secret, dirname(path));
      expect(await look(await openEventFile(root, RUN))).toEqual(['same']);
    } finally {
      await rm(secret, { recursive: true });
    }
  });
});

describe('reading some lines', () => {
  test('any part of those that were read', async () => {
    await writeFile(path, HEADER + Array.from({ length: 2_000 }, (_, i) => line(`n${i + 1}`)).join(''));
    const file = await openEventFile(root, RUN);
    expect(await file.read(0, 10)).toEqual([]);
    await look(file);
    await appendFile(path, line('later'));
    const texts = async (from: number, count: number) =>
      (await file.read(from, count)).map(([at, event]) => `${at} ${textOf(event)}`);
    expect(await texts(0, 2)).toEqual(['1 n1']);
    expect(await texts(255, 3)).toEqual(['255 n255', '256 n256', '257 n257']);
    expect(await texts(1_999, 10)).toEqual(['1999 n1999', '2000 n2000']);
    expect(await texts(2_001, 10)).toEqual([]);
    expect(await texts(-5, 7)).toEqual(['1 n1', '2 n2', '3 n3', '4 n4', '5 n5', '6 n6']);
  });

  test('nothing of another log', async () => {
    await writeFile(path, HEADER + line('one'));
    const file = await openEventFile(root, RUN);
    await look(file);
    await rm(path);
    expect(await file.read(0, 5)).toEqual([]);
  });
});
