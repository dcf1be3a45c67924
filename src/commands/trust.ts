import { createInterface } from 'node:readline/promises';
import type { Git } from '../adapters/git/index.ts';
import {
  askedIn,
  askedOf,
  findConfigFile,
  heldToTrusted,
  readConfigFile,
  refuseDescendants,
  SERVERS_FILE,
  trust,
  trustedHere,
  trustsAll,
} from '../adapters/workspace/index.ts';
import { oneLine } from '../rules/text/index.ts';
import { type Asked, FILE, type Untrusted, untrusted } from '../rules/trust/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';

/**
 * `ralph trust`: shows the settings of this repository that need a person's trust and what changed since it was given;
 * `--yes` or an answer at the terminal trusts them.
 * @returns 0 when everything is trusted in the end, else 1
 */
export async function trustHere(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  await refuseDescendants(git.repo.stateDir);
  const json = isOn(flags, 'json');
  const asking = json ? null : (question: string) => confirm(question, io);
  const answer = isOn(flags, 'yes') ? async () => true : asking;
  const { file, open, isTrusted } = await goThrough(git, io, answer, (lines) => {
    if (!json) printLines(io, lines);
  });
  if (json) printJson(io, { file, trusted: isTrusted, asked: open });
  else if (open.length === 0)
    printLines(io, [file === null ? 'no configuration: nothing to trust' : `${file}: nothing new to trust`]);
  else printLines(io, [isTrusted ? 'trusted on this machine' : 'not trusted: `ralph trust --yes` trusts it']);
  return isTrusted ? 0 : 1;
}

/** The same question at the start of a run; prints nothing when there is nothing to trust. */
export async function askForTrust(git: Git, io: Io): Promise<void> {
  if (trustsAll(io.env)) return;
  await goThrough(
    git,
    io,
    (question) => confirm(question, io),
    (lines) => printLines(io, lines),
  );
}

type Answer = (question: string) => Promise<boolean>;

/**
 * First the code of the configuration, which shows its other requests only when it runs; then the rest.
 * @returns `open`: requests beyond those already trusted
 */
async function goThrough(git: Git, io: Io, answer: Answer | null, show: (lines: readonly string[]) => void) {
  const { root } = git.repo;
  const settings = await findConfigFile(root);
  const file = settings ?? SERVERS_FILE;
  const isCode = !file.endsWith('.json');
  const code = isCode ? await askedOf(root, null, [file]) : {};
  const first = isCode ? await settle(code) : [];
  if (first === null) return { file, open: untrusted(code, await trustedHere(io.env, root)), isTrusted: false };
  const read = async () => {
    const found = await readConfigFile(root, true);
    if (found?.error) throw found.error;
    return found;
  };
  const { values } = (isCode ? await heldToTrusted(root, code, read) : await read()) ?? { values: {} };
  const all = { ...code, ...(await askedIn(root, io.env, values, isCode)) };
  const open = [...first, ...untrusted(all, await trustedHere(io.env, root))];
  const isAsked = settings !== null || Object.keys(all).length > 0;
  return { file: isAsked ? file : null, open, isTrusted: (await settle(all)) !== null };

  /** The requests that were new and are trusted now; null when trust is not given. */
  async function settle(asked: Asked): Promise<readonly Untrusted[] | null> {
    const missing = untrusted(asked, await trustedHere(io.env, root));
    if (missing.length === 0) return missing;
    show([`${file} asks for:`, ...missing.map(lineOf)]);
    if (answer === null || !(await answer('Trust this on this machine?'))) return null;
    await trust(io.env, root, { ...code, ...asked });
    return missing;
  }
}

function lineOf({ name, before, now }: Untrusted): string {
  if (name.startsWith(FILE)) return `  ${before === null ? 'new' : 'changed'}  ${oneLine(name)}`;
  return `  ${oneLine(name)} = ${oneLine(now)}${before === null ? '' : `   (trusted before: ${oneLine(before)})`}`;
}

/** Asks a person; without a terminal the answer is no. */
export async function confirm(question: string, io: Io): Promise<boolean> {
  if (!io.isTTY || process.stdin.isTTY !== true) return false;
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } finally {
    reader.close();
  }
}
