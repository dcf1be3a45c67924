import { describe, expect, it } from 'vitest';
import { FileProblemsError, GitError, GitRefusal, UnavailableError } from '../../contracts/index.ts';
import { GivenBack } from '../engine/port.ts';
import { blame, fenced, withPatience } from './turn-errors.ts';

const HERE = { folder: '/projects/worker/1', isThere: true };
const problem = (file: string) =>
  new FileProblemsError({ what: 'it cannot be read' }, [
    { file, line: 1, message: '', fix: '', severity: 'error', rule: 'missing' },
  ]);

describe('blame', () => {
  it('holds what is wrong with the place of a worker against nobody but the worker', () => {
    for (const error of [
      new UnavailableError({ what: 'the agent cannot be used', where: 'claude: not installed' }),
      Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }),
      problem('/home/una/scenario.yaml'),
      new GitError({ what: 'git could not commit', why: 'error: file write error: No space left on device' }),
    ])
      expect(blame(error, HERE)).toMatchObject({ here: true, message: expect.stringContaining(error.message) });
    expect(blame(new Error('whatever'), { ...HERE, isThere: false })).toMatchObject({ here: true });
  });

  it('holds a turn that was overtaken against nobody', () => {
    const error = blame(fenced({ stream: 'PRD-1', branch: 'ralph/prd-1' }, 'its branch moved'), HERE);
    expect(error).toBeInstanceOf(GivenBack);
    expect(error).toMatchObject({ here: false });
  });

  it('leaves with the stream what is its own', () => {
    for (const error of [
      new GitRefusal({ what: 'the remote has no branch ralph/x' }),
      new Error('a bug'),
      problem('.ralph/PRD-1/tasks.json'),
      problem('/projects/worker/1/streams/PRD-1/tasks.json'),
    ])
      expect(blame(error, HERE)).toBe(error);
  });
});

describe('withPatience', () => {
  it('tries again after longer and longer pauses, and tells of each', async () => {
    const { patience, pauses } = scene(60_000);
    let tries = 0;
    const result = await withPatience(async () => {
      if (++tries < 4) throw new Error('cut');
      return 'there';
    }, patience);
    expect(result).toBe('there');
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  it('gives up when its time is over', async () => {
    const { patience, pauses } = scene(10_000);
    await expect(withPatience(() => Promise.reject(new Error('cut')), patience)).rejects.toThrow('cut');
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  it('does not try again what will not go better', async () => {
    const { patience, pauses } = scene(60_000);
    await expect(withPatience(() => Promise.reject(new Error('denied')), patience)).rejects.toThrow('denied');
    expect(pauses).toEqual([]);
  });

  it('does not try again for a turn that was ended', async () => {
    const { patience, pauses, ending } = scene(60_000);
    ending.abort('stopped');
    await expect(withPatience(() => Promise.reject(new Error('cut')), patience)).rejects.toThrow('cut');
    expect(pauses).toEqual([]);
  });
});

function scene(patienceMs: number) {
  let now = 0;
  const pauses: number[] = [];
  const ending = new AbortController();
  const patience: Parameters<typeof withPatience>[1] = {
    clock: {
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    patienceMs,
    isTransient: (error) => error instanceof Error && error.message === 'cut',
    onPause: (_error, ms) => pauses.push(ms),
    signal: ending.signal,
  };
  return { patience, pauses, ending };
}
