import { BrokenRepository, FileProblemsError, RalphError, UnavailableError } from '../../contracts/errors.ts';
import { GivenBack } from '../engine/given-back.ts';
import { FencedError } from './turn-errors.ts';

/** What this machine says when it is at its end, as git and the file system word it. */
const AT_ITS_END = /no space left|disk quota|read-only file system|too many open files|cannot allocate memory/i;
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO']);

export interface BlamedPlace {
  /** Of the worker, absolute: its clone and work trees are in it. */
  readonly folder: string;
  /** Whether its clone is still there. */
  readonly isThere: boolean;
}

/**
 * Whose fault it is that a turn failed. What is wrong with the place of this worker (its agent, its disk, its clone), and
 * a turn that somebody overtook, is not held against the stream.
 * @returns what the engine is to be told
 */
export function blame(error: unknown, place: BlamedPlace): unknown {
  if (!place.isThere) return gone();
  if (error instanceof FencedError) return new GivenBack(said(error), false);
  const isLocal =
    error instanceof UnavailableError ||
    error instanceof BrokenRepository ||
    isAboutOtherFiles(error, place.folder) ||
    CODES.has(codeOf(error)) ||
    AT_ITS_END.test(said(error));
  return isLocal ? new GivenBack(said(error), true) : error;
}

export function gone(): GivenBack {
  return new GivenBack('the work folder of the worker is gone, and is made anew', true);
}

/** Such as the scenario of a scripted agent, which the command line of the worker names. */
function isAboutOtherFiles(error: unknown, folder: string): boolean {
  if (!(error instanceof FileProblemsError)) return false;
  return error.problems.every(({ file }) => file.startsWith('/') && !file.startsWith(`${folder}/`));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function said(error: unknown): string {
  if (!(error instanceof RalphError)) return error instanceof Error ? error.message : String(error);
  const { what, where, why } = error.facts;
  return [what, where, why].filter(Boolean).join(': ');
}
