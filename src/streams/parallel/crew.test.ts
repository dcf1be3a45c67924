import { expect, it } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import type { Story } from '../../contracts/index.ts';
import { anyContext } from './context.fixture.ts';
import { landingObstacle } from './crew.ts';

const story = { id: 'US-002', safeId: 'US-002', passes: false, reviewStatus: null } as Story;

/** A branch `main` on which `US-001` landed after `base`, and a lane with work on US-002 that began at `base`. */
async function aLane() {
  const { git, sh } = await makeRepository();
  const at = (command: string) => sh(`${command} && git rev-parse HEAD`).trim().split('\n').at(-1) ?? '';
  const commit = (file: string, id: string) =>
    at(`echo x > ${file} && git add -A && git commit -qm "feat(${id})" -m "Ralph-Story: ${id}"`);
  const base = at('git checkout -q --detach main');
  const lane = commit('two', 'US-002');
  sh('git checkout -q main');
  const landed = commit('one', 'US-001');
  const crew = { context: { ...anyContext([], {}), git }, branch: 'main' };
  const why = (from: string, head: string, of: Story = story) =>
    landingObstacle(crew, { story: of.id, base: from, files: {}, landing: null }, head, of);
  return { base, lane, landed, why, at, sh };
}

it('lets work land that builds on what the branch still builds on', async () => {
  const { base, lane, why } = await aLane();
  expect(await why(base, lane)).toBe(null);
  expect(await why(base, base)).toBe(null);
});

it('never takes a commit from before its base for work: the difference would take back what landed since', async () => {
  const { landed, lane, why } = await aLane();
  expect(await why(landed, lane)).toContain('do not build on the commit it started from');
});

it('refuses what began on commits that the branch does not hold any more', async () => {
  const { base, lane, why, sh } = await aLane();
  sh('git checkout -q --orphan other && git commit -qm other && git branch -f main other');
  expect(await why(base, lane)).toBe('main no longer contains the commit it started from');
});

it('refuses commits of another story, and a story that is done on the branch', async () => {
  const { base, lane, why } = await aLane();
  expect(await why(base, lane, { ...story, id: 'US-003', safeId: 'US-003' })).toBe('its commits are work on US-002');
  expect(await why(base, lane, { ...story, passes: true })).toBe('it is done on the branch');
});
