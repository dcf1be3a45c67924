import { expect, test } from 'vitest';
import { withArchivedApart } from './figures.ts';
import { extra, viewOf } from './report.fixture.ts';
import { reportData } from './report.ts';

test('a story of an archived loop has a name of its own, and needs nobody any more', () => {
  const old = viewOf();
  const now = { ...viewOf(), run: 'later', lastEventAt: old.lastEventAt + 9 };
  const ids = old.stories.map(({ id }) => id);
  const archives = [{ at: old.lastEventAt + 5, label: '2026-01-01-login', stories: ids }];
  const report = reportData([old, now], { ...extra, archives });
  expect(report.stories.map(({ id }) => id)).toEqual([...ids.map((id) => `${id} (2026-01-01-login)`), ...ids]);
  expect(report.needs).toEqual(reportData([now], extra).needs);
});

test('without archives nothing is renamed', () => {
  const views = [viewOf()];
  expect(withArchivedApart(views, []).views).toEqual(views);
});
