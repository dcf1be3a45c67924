import type { System } from '../../adapters/isolation/system.ts';
import { readText, stat } from '../../platform/files/files.ts';
import { findProgram } from '../../platform/process/find-program.ts';
import { nearest } from '../../rules/nearest.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { knownInstallLine } from './install.ts';

/** Words that the shell itself knows, and those behind which any command may stand. */
const SHELL_WORDS =
  /^(?:\.|:|\[|cd|command|echo|env|eval|exec|exit|export|false|for|if|set|source|sudo|test|time|true|ulimit|umask|unset|while|!|\(|\{)$/;

/** What keeps a check from starting. */
export interface CheckFault {
  readonly says: string;
  readonly mend: readonly string[];
}

interface Place {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly system: System;
  /** Where the check is written, `file:line`. */
  readonly where: string;
}

/** What a check starts with, as far as it can be told without a shell. */
export interface Start {
  /** Folders that it goes to first, relative to the root. */
  readonly folder: string;
  readonly program: string;
  /** The script of package.json that it names; null where it names none. */
  readonly script: string | null;
}

/** Why a check cannot start; null when it can, or only the shell can tell. Nothing is run. */
export async function checkFault(command: string, place: Place): Promise<CheckFault | null> {
  const start = startOf(command);
  if (start === null) return null;
  const { root, env, system, where } = place;
  const { folder, program, script } = start;
  const out = `take the check out, or correct it: ${where}`;
  const dir = `${root}/${folder}`;
  if (folder !== '.' && (await stat(dir)) === null)
    return { says: `\`${command}\` cannot start: there is no folder ${folder}`, mend: [out] };
  if (program.includes('/')) {
    const path = program.startsWith('/') ? program : `${dir}/${program}`;
    if (findProgram(path, env['PATH']) !== null) return null;
    const shown = folder === '.' ? program : `${folder}/${program}`;
    return (await stat(path))?.kind === 'file'
      ? { says: `\`${command}\` cannot start: ${shown} may not be executed`, mend: [`chmod +x ${shellWord(shown)}`] }
      : { says: `\`${command}\` cannot start: there is no ${shown}`, mend: [out] };
  }
  if (findProgram(program, env['PATH']) === null) {
    const install = knownInstallLine(program, system);
    return {
      says: `\`${command}\` cannot start: there is no ${program}`,
      mend: [install ?? `install ${program}, or ${out}`],
    };
  }
  return script === null ? null : scriptFault(command, script, dir, out);
}

async function scriptFault(command: string, script: string, dir: string, out: string): Promise<CheckFault | null> {
  const scripts = scriptsIn(await readText(`${dir}/package.json`));
  if (scripts === null || scripts.includes(script)) return null;
  const near = nearest(script, scripts);
  return {
    says: `\`${command}\` cannot start: package.json has no script ${script}${near ? `; did you mean ${near}?` : ''}`,
    mend: [out],
  };
}

/** Names of the scripts; null where that cannot be told: a manager may look further up. */
function scriptsIn(text: string | null): readonly string[] | null {
  try {
    const { scripts = {}, workspaces } = JSON.parse((text ?? '').replace(/^\uFEFF/, '')) as Record<string, unknown>;
    return workspaces !== undefined || typeof scripts !== 'object' || scripts === null ? null : Object.keys(scripts);
  } catch {
    return null;
  }
}

/** Where a check is written: `file:line`, the file alone where it spans lines, or all that were looked into. */
export async function placeOfCheck(command: string, root: string, files: readonly string[]): Promise<string> {
  const forms = [command, JSON.stringify(command).slice(1, -1)];
  for (const file of files) {
    const lines = ((await readText(`${root}/${file}`)) ?? '').split('\n');
    const at = lines.findIndex((line) => forms.some((form) => line.includes(form)));
    if (at >= 0) return `${file}:${at + 1}`;
  }
  return `verifyCommands in ${files.join(' or ')}`;
}

/** Behind variables and `cd folder &&`; null where only the shell can tell. Pure. */
export function startOf(command: string): Start | null {
  let rest = command.trim();
  let folder = '.';
  for (;;) {
    const [set] = /^(?:env\s+)?[A-Za-z_]\w*=(?:[\w@%+:,./-]*|'[^']*'|"[^"$`\\]*")\s+/.exec(rest) ?? [];
    const [went, to = ''] = /^cd\s+([\w@%+:,.-][\w@%+:,./-]*)\s*(?:&&|;)\s*/.exec(rest) ?? [];
    if (set === undefined && went === undefined) break;
    // Where a path is set, what is on it cannot be told from here.
    if (set?.includes('PATH=')) return null;
    if (went !== undefined) folder = folder === '.' ? to : `${folder}/${to}`;
    rest = rest.slice((set ?? went ?? '').length);
  }
  const [word = ''] = rest.split(/[\s;&|]/, 1);
  if (SHELL_WORDS.test(word) || !/^[\w./+-]+$/.test(word)) return null;
  const [, named] = /^(?:npm|pnpm|yarn|bun)\s+run(?:-script)?\s+([\w:.-]+)(?=\s|$|[;&|])/.exec(rest) ?? [];
  const tests = /^(?:npm|pnpm)\s+(?:test|t)(?=\s*(?:$|[;&|]|--\s))/.test(rest) ? 'test' : null;
  const elsewhere = /\s(?:-w|--workspaces?|--prefix|-C|--filter|-r|--if-present)\b/.test(rest);
  return { folder, program: word, script: elsewhere ? null : named?.startsWith('-') ? null : (named ?? tests) };
}
