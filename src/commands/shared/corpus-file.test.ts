import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileProblemsError } from '../../contracts/index.ts';
import { readCorpus } from './corpus-file.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ralph-corpus-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const read = async (text: string) => {
  await writeFile(join(cwd, 'cases.jsonl'), text);
  return readCorpus('cases.jsonl', { cwd }, ['command']);
};

it('reads one object per line and knows where it stood', async () => {
  expect(await read('\ufeff{"command":"a"}\n\n{"command":"b","more":1}\n')).toEqual([
    { index: 0, line: 1, fields: { command: 'a' } },
    { index: 1, line: 3, fields: { command: 'b', more: 1 } },
  ]);
});

it('names every line that cannot be used', async () => {
  const error = await read('{"command":"a"}\nnot json\n[]\n{"label":"b"}\n').catch((each: unknown) => each);
  expect(error).toBeInstanceOf(FileProblemsError);
  expect((error as FileProblemsError).problems.map(({ line, message }) => [line, message])).toEqual([
    [2, 'this is not a JSON object'],
    [3, 'this is not a JSON object'],
    [4, 'no command'],
  ]);
});

it('refuses a file that is missing or empty', async () => {
  await expect(readCorpus('none.jsonl', { cwd }, [])).rejects.toThrow('there is no file none.jsonl');
  await expect(read('\n')).rejects.toThrow('cases.jsonl contains no case');
});
