import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRuns } from '../../src/adapters/workspace/index.ts';
import { needs } from '../support/debian.ts';
import { EVENTFUL } from '../support/eventful.ts';
import { makeProject, type Project } from '../support/project.ts';
import { type Watched, watch } from './watched.ts';

const missing = await needs('chromium');

describe.skipIf(missing)('the replay of a run', () => {
  let project: Project;
  let watched: Watched;

  beforeAll(async () => {
    project = await makeProject(EVENTFUL);
    await project.run();
    watched = await watch(project.root, project.outside);
    await watched.open((await listRuns(project.root)).at(-1)!, 'replay');
    await slider().waitFor();
  });
  afterAll(async () => {
    await watched?.close();
    await project?.remove();
  });

  const slider = () => watched.page.getByRole('slider', { name: 'Moment' });
  const scene = () => watched.page.locator('.scene');
  const length = async () => Number(await slider().getAttribute('max'));
  const share = async () => Number(await slider().inputValue()) / (await length());
  const drag = async (to: number) => slider().fill(String(Math.round((await length()) * to)));

  test('begins at the beginning, where nothing has happened yet', async () => {
    expect(await share()).toBe(0);
    await expect.poll(() => scene().textContent()).not.toContain('accepted');
  });

  test('plays by the space key, and stands still when it is pressed again', async () => {
    await watched.page.keyboard.press(' ');
    await watched.page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(share).toBeGreaterThan(0.01);
    await watched.page.keyboard.press(' ');
    await watched.page.getByRole('button', { name: 'Play' }).waitFor();
    const stopped = await share();
    await watched.page.waitForTimeout(300);
    expect(await share()).toBe(stopped);
  });

  test('shows the run as it was at any moment, forwards and back, its transcript up to then', async () => {
    await drag(1);
    await scene().getByText('COMPLETE').waitFor();
    await watched.page.locator('.transcript .row', { hasText: 'ended' }).last().waitFor();
    await drag(0.3);
    await expect.poll(() => scene().textContent()).not.toContain('COMPLETE');
    const last = () => watched.page.locator('.transcript .row').last().getAttribute('data-line').then(Number);
    await expect.poll(last).toBeLessThan(80);
    const middle = await last();
    await drag(0.1);
    await expect.poll(last).toBeLessThan(middle);
  });

  test('goes from iteration to iteration by keys', async () => {
    await drag(0);
    await watched.page.locator('h3', { hasText: 'Stories' }).click();
    for (const iteration of ['#1', '#2', '#3']) {
      await watched.page.keyboard.press(']');
      await scene().locator('.scene-story', { hasText: iteration }).waitFor();
    }
    await watched.page.keyboard.press('[');
    await scene().locator('.scene-story', { hasText: '#2' }).waitFor();
  });

  test('plays to the end at speed, and stops there', async () => {
    await watched.page.getByLabel('Speed').selectOption('50');
    await watched.page.getByRole('button', { name: 'Play' }).click();
    await scene().getByText('COMPLETE').waitFor();
    await watched.page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await share()).toBeGreaterThan(0.98);
  });

  test('nothing complains, and nothing leaves', () => {
    expect(watched.complaints).toEqual([]);
    expect(watched.strangers).toEqual([]);
  });
});
