import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

let project: Project;
afterEach(() => project.remove());

/** Files of dist/ that a command loaded, its child processes' included. */
async function loadedBy(args: readonly string[]): Promise<readonly string[]> {
  const folder = join(project.outside, `coverage-${args[0]}`);
  await mkdir(folder);
  // Of all that V8 counts for its coverage, the names of the scripts.
  await project.ralph(args, { NODE_V8_COVERAGE: folder });
  const reports = await Promise.all(
    (await readdir(folder)).map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  return reports
    .flatMap(({ result }) => result.map(({ url }: { readonly url: string }) => url))
    .filter((url) => url.includes('/dist/'));
}

describe('a start', () => {
  it('loads nothing of the monitor and the dashboard unless it shows them', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    expect((await readdir(DIST)).some((name) => name.startsWith('ink-'))).toBe(true);
    expect(await loadedBy(['--version'])).toEqual([]);
    for (const args of [['run', '--once', '--scenario', project.scenario], ['status'], ['log']]) {
      const loaded = await loadedBy(args);
      expect(loaded.length, args.join(' ')).toBeGreaterThan(0);
      expect(
        loaded.filter((url) => /\/dist\/(ink|monitor|page)-/.test(url)),
        args.join(' '),
      ).toEqual([]);
    }
  });

  it('loads nothing of the loop to complete the name of a story', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }] });
    const loaded = await loadedBy(['completion', '--complete', '--', 'stories', 'show', '']);
    expect(loaded.some((url) => url.includes('/dist/answer-'))).toBe(true);
    expect(loaded.filter((url) => /\/dist\/(core|desk|hono|session|unbash|verdict|yaml)-/.test(url))).toEqual([]);
  });

  it('loads nothing of the loop for a plan', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
    // To implement, then to review.
    for (const part of ['plan', 'review']) {
      const loaded = await loadedBy(['run', '--dry-run']);
      expect(loaded.some((url) => url.includes(`/dist/${part}-`))).toBe(true);
      expect(loaded.filter((url) => /\/dist\/(core|desk|hono|session|unbash|verdict|yaml)-/.test(url))).toEqual([]);
      await rm(join(project.outside, 'coverage-run'), { recursive: true });
      await project.run(['--once']);
    }
  });
});
