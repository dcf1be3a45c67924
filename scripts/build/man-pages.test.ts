import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { needs } from '../../test/support/debian.ts';
import { manFiles, manPages } from './man-pages.ts';

const pages = manPages();

test('there is a page of ralph, of each group and of each command', () => {
  const names = pages.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['ralph.1', 'ralph-run.1', 'ralph-stories.1', 'ralph-stories-list.1']));
  expect(new Set(names).size).toBe(names.length);
});

test('package.json lists them, so that `man ralph` finds them (else: npx tsx scripts/docs-commands.ts)', () => {
  const { man } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(man).toEqual(manFiles());
});

describe.each(pages)('%s', (_name, text) => {
  test('has the parts of a manual page, and no line that roff would take for a request', () => {
    expect(text).toMatch(/^\.TH "RALPH[A-Z\\-]*" 1 /);
    for (const heading of ['NAME', 'SYNOPSIS', '"EXAMPLES"']) expect(text).toContain(`\n.SH ${heading}\n`);
    const requests = text.split('\n').filter((line) => /^[.']/.test(line));
    for (const line of requests) expect(line).toMatch(/^\.(TH|SH|B|TP|PP|br|nf|fi|RS|RE)\b/);
  });
});

const missing = await needs('groff');
test.skipIf(missing)('groff reads all of them without a warning, and shows flags as they are typed', () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-c', '-P-b', '-P-o', '-P-u'], {
    input: pages.map(([, text]) => text).join('\n'),
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('--max-iterations <n>');
  expect(stdout).toContain("ralph guard explain 'rm -rf /'");
});
