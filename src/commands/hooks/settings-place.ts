import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { projectRoot } from '../../adapters/workspace/hooks/project-root.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';

/** The settings file that a command is about: the project's local one, or with `--user` the person's own. */
export function settingsPath(flags: RawFlags, io: Io): string {
  return isOn(flags, 'user') ? userSettings(io) : projectSettings(flags, io);
}

/** Not `settings.json`, which is committed: paths of this machine are of use to nobody else. */
export function projectSettings(flags: RawFlags, io: Io): string {
  return join(projectRoot(resolve(io.cwd, textOf(flags, 'projectDir') ?? '.')), '.claude', 'settings.local.json');
}

/** The client does not read a `settings.local.json` in the home folder. */
export function userSettings(io: Io): string {
  return join(io.env['CLAUDE_CONFIG_DIR'] || join(io.env['HOME'] || homedir(), '.claude'), 'settings.json');
}
