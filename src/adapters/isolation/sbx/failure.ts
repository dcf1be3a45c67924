import type { ErrorFacts } from '../../../contracts/index.ts';
import { shortLine } from '../../../rules/text/index.ts';

/** How a command of sbx ended. */
export interface SbxAnswer {
  /** Not reliable: sbx's output counts more. Null when sbx was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

interface Cause {
  readonly said: RegExp;
  readonly what: string;
  readonly mend: readonly string[];
}

/** The commands that create a sandbox and replace one. */
export const CREATE = 'ralph sandbox create sbx';
export const MAKE_ANEW = `ralph sandbox remove sbx --yes, then ${CREATE}`;

/** The user has not yet chosen what the sandboxes of this machine may reach. */
export const NO_POLICY = 'sbx has no network policy yet';

/** Output of sbx, in words that differ between versions, and its meaning. The first match counts. */
const CAUSES: readonly Cause[] = [
  {
    said: /not (?:logged|signed) in|(?:log|sign)[ -]?in (?:is )?(?:required|first)|please (?:log|sign) in|sbx login|unauthori[sz]ed|authentication (?:is )?required/i,
    what: 'sbx is not signed in to Docker',
    mend: ['sbx login'],
  },
  {
    said: /unknown (?:shorthand )?(?:flag|command)|unrecognized (?:flag|option|command)|flag provided but not defined/i,
    what: 'this version of sbx does not know a command that ralph uses',
    mend: ['update sbx: ralph was written for version 0.53'],
  },
  {
    said: /policy (?:has |is |was )?(?:not|never) (?:been )?initiali[sz]ed|policy init/i,
    what: NO_POLICY,
    mend: [`${CREATE} --yes, which sets it to deny-all for this machine`, 'or by hand: sbx policy init deny-all'],
  },
  {
    said: /\bkvm\b|virtuali[sz]ation|hypervisor/i,
    what: 'this machine cannot run the virtual machines of sbx',
    mend: ['`sbx diagnose` says what is missing (on Linux: /dev/kvm, and your user in the group kvm)'],
  },
  {
    said: /already exists|name is (?:already )?(?:in use|taken)/i,
    what: 'there is a sandbox of this name already',
    mend: [MAKE_ANEW],
  },
  {
    said: /no (?:such )?sandbox|sandbox .{0,80}not found/i,
    what: 'the sandbox of this project is gone',
    mend: [CREATE],
  },
  {
    said: /daemon|sandboxd|connection refused|cannot connect|no sandbox executor|dial unix/i,
    what: 'the daemon of sbx does not answer',
    mend: ['sbx daemon restart', 'sbx diagnose'],
  },
];

/** sbx is not installed. */
export const NOT_INSTALLED: ErrorFacts = {
  what: 'sbx is not installed',
  where: 'PATH',
  mend: ['install Docker Sandboxes: https://docs.docker.com/ai/sandboxes/ (Linux: Ubuntu 24.04 or later with KVM)'],
};

/** Explains to people why an sbx command failed. */
export function failureOf(args: readonly string[], answer: SbxAnswer): ErrorFacts {
  const where = shortLine(`sbx ${args.join(' ')}`, 120);
  if (answer.timedOut) {
    return {
      what: 'sbx does not answer',
      where,
      why: 'it was ended; it may have been waiting for a sign-in or for its daemon',
      mend: ['sbx login', 'sbx diagnose'],
    };
  }
  const said = lastLine(answer.stderr) || lastLine(answer.stdout) || `it ended with exit code ${answer.exitCode}`;
  const cause = causeOf(answer);
  return { what: cause?.what ?? 'sbx failed', where, why: said, mend: cause?.mend ?? ['sbx diagnose'] };
}

/** Did sbx fail for a known reason, rather than answer "no"? */
export function isKnownFailure(answer: SbxAnswer): boolean {
  return answer.exitCode !== 0 && causeOf(answer) !== undefined;
}

function causeOf({ stdout, stderr }: SbxAnswer): Cause | undefined {
  return CAUSES.find(({ said }) => said.test(`${stderr}\n${stdout}`));
}

/** sbx gave an answer that this program does not understand. */
export function strangeAnswer(args: readonly string[], why: string): ErrorFacts {
  return {
    what: 'sbx answers in a form that ralph does not know',
    where: `sbx ${args.join(' ')}`,
    why,
    mend: ['update sbx: ralph was written for version 0.53'],
  };
}

function lastLine(text: string): string {
  return shortLine(text.trim().split('\n').at(-1) ?? '');
}
