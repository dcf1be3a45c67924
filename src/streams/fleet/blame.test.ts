import { describe, expect, it } from 'vitest';
import { FileProblemsError, GitError, GitRefusal, UnavailableError } from '../../contracts/errors.ts';
import { GivenBack } from '../engine/given-back.ts';
import { blame } from './blame.ts';
import { fenced } from './turn-errors.ts';

const HERE = { folder: '/projects/worker/1', isThere: true };
const problem = (file: string) =>
  new FileProblemsError({ what: 'it cannot be read' }, [
    { file, line: 1, message: '', mend: '', severity: 'error', rule: 'missing' },
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
