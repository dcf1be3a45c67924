import { expect, test } from 'vitest';
import { makeRepository } from '../../../../test/support/git-repository.ts';

test('files whose line ends git converts, and those of a filter, are committed when git would store them like that', async () => {
  const attributes = '*.txt text eol=crlf\n*.up filter=up\n';
  const repo = await makeRepository({
    '.gitattributes': attributes,
    'raw.dat': '1\n',
    'ä b.txt': 'x\n',
    'c.txt': 'c\n',
  });
  repo.sh("git config filter.up.smudge 'tr a-z A-Z' && git config filter.up.clean 'tr A-Z a-z'");
  repo.write('f.up', 'F\n');
  repo.write('g.up', 'G\n');
  repo.run('add', '-A');
  repo.run('commit', '-qm', 'filtered');
  repo.sh("rm *.txt && git checkout -q -- '*.txt'");
  expect(repo.read('c.txt')).toBe('c\r\n');
  repo.write('c.txt', 'mine\r\n');
  repo.write('g.up', 'MINE\n');
  repo.write('raw.dat', '2\n');
  repo.write('new.txt', 'new\r\n');
  const { head, tree } = await repo.git.checkpoint('1');
  const all = ['.gitattributes', 'c.txt', 'f.up', 'g.up', 'new.txt', 'raw.dat', 'ä b.txt'];
  expect(await repo.git.uncommittedAmong(all, head, tree)).toEqual(['c.txt', 'g.up', 'new.txt', 'raw.dat']);
  expect(await repo.git.uncommittedAmong(['f.up', 'ä b.txt'], head, tree)).toEqual([]);
});
