import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  projectRoot,
  readSettings,
  restoreSettings,
  type SettingsChange,
  writeSettings,
} from '../adapters/workspace/index.ts';
import { ConfigError, ExitCode, RalphError } from '../contracts/index.ts';
import { packageFolder } from '../platform/index.ts';
import {
  EMPTY_SETTINGS,
  hasAnyHooks,
  hasHooks,
  hookCommand,
  hookGroups,
  settingsFaults,
  withHooks,
  withoutHooks,
  withoutStringForms,
} from '../rules/hooks/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { isOn, type RawFlags, textOf } from './shared/flags.ts';
import { printResult } from './shared/print.ts';

/** The state of one settings file. */
interface PlaceStatus {
  readonly place: 'project' | 'user';
  readonly path: string;
  /** `outdated`: ours, but from another installation or an earlier version. */
  readonly hooks: 'installed' | 'outdated' | 'none';
  readonly faults: readonly { readonly line: number; readonly message: string; readonly fix: string }[];
}

/** `ralph hooks status`: exit 2 when a file has entries that keep the client from reading any of its hooks. */
export async function hooksStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const places = await hookPlaces(flags, io);
  printResult(io, flags, places, places.flatMap(renderPlace));
  return places.some(({ faults }) => faults.length > 0) ? ExitCode.usage : ExitCode.complete;
}

/** The settings files in which ralph's hooks may be. */
export async function hookPlaces(flags: RawFlags, io: Io): Promise<readonly PlaceStatus[]> {
  return [await look('project', projectSettings(flags, io)), await look('user', userSettings(io))];
}

async function look(place: PlaceStatus['place'], path: string): Promise<PlaceStatus> {
  try {
    const text = (await readSettings(path)) ?? '{}';
    const faults = settingsFaults(text).map(({ line, message, fix }) => ({ line, message, fix }));
    return { place, path, hooks: faults.length > 0 ? 'none' : await hooksIn(text), faults };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const { what, where = '', why = '', fix = [] } = error.facts;
    const line = Number(/:(\d+)$/.exec(where)?.[1] ?? 1);
    return { place, path, hooks: 'none', faults: [{ line, message: `${what}: ${why}`, fix: fix.join('; ') }] };
  }
}

async function hooksIn(text: string): Promise<PlaceStatus['hooks']> {
  if (!hasAnyHooks(text)) return 'none';
  return hasHooks(text, await ownGroups()) ? 'installed' : 'outdated';
}

/** They fail open: a removed Node must not block every command. */
async function ownGroups() {
  return hookGroups(hookCommand(process.execPath, join(await packageFolder(), 'plugin/hook.cjs')), 'open');
}

const WORDS: Readonly<Record<PlaceStatus['hooks'], string>> = {
  installed: 'installed',
  outdated: 'from another installation or version; fix: ralph hooks install',
  none: 'not installed',
};

function renderPlace({ place, path, hooks, faults }: PlaceStatus): readonly string[] {
  return [
    `${place.padEnd(7)}  ${path}`,
    ...(faults.length > 0 ? [] : [`         ${WORDS[hooks]}`]),
    ...faults.flatMap(({ line, message, fix }) => [`         ${path}:${line}: ${message}`, `           fix: ${fix}`]),
  ];
}

/** `ralph hooks install`: adds our entries to the client's settings and changes nothing else there. */
export async function installHooks(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const path = settingsPath(flags, io);
  const before = await readSettings(path);
  const sound = soundText(path, before ?? EMPTY_SETTINGS);
  const after = withHooks(sound, await ownGroups());
  const change = await writeSettings(path, { before, after }, before !== null && !hasAnyHooks(before));
  const fixed = sound !== (before ?? EMPTY_SETTINGS);
  return printResult(io, flags, { ...change, fixed }, renderInstall(change, fixed));
}

/**
 * String forms are fixed, as the client would ignore our entries as well. @throws ConfigError for forms that cannot be
 * guessed
 */
function soundText(path: string, text: string): string {
  const sound = withoutStringForms(text);
  const [fault] = settingsFaults(sound);
  if (fault === undefined) return sound;
  const { line, message, fix } = fault;
  throw new ConfigError({ what: message, where: `${path}:${line}`, fix: [fix] });
}

function renderInstall({ path, changed, backup }: SettingsChange, fixed: boolean): readonly string[] {
  if (!changed) return [`the hooks are already in ${path}`];
  return [
    `wrote  ${path}`,
    ...(backup === null ? [] : [`saved  ${backup} (the original file)`]),
    ...(fixed ? ['fixed older hook entries, which prevented the client from reading any hook in the file'] : []),
    '',
    'New sessions ask ralph before they run a command, and are warned when their context fills up.',
    'To remove them: ralph hooks uninstall',
  ];
}

/** `ralph hooks uninstall`: removes our entries from the client's settings; others stay unchanged. */
export async function uninstallHooks(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const path = settingsPath(flags, io);
  const before = await readSettings(path);
  const change: SettingsChange =
    before === null || !hasAnyHooks(before)
      ? { path, changed: false, backup: null }
      : await restoreSettings(path, { before, after: withoutHooks(before) });
  return printResult(io, flags, change, renderUninstall(change));
}

function renderUninstall({ path, changed, backup }: SettingsChange): readonly string[] {
  if (!changed) return [`${path} has no hooks of ralph`];
  return [
    `removed the hooks from ${path}`,
    ...(backup === null ? [] : [`the file has changed since; its version before ralph: ${backup}`]),
  ];
}

/**
 * `ralph hooks run EVENT`: what the command hook does, for hook systems that name the event on the command line. Ends
 * with 0 for any input, as a hook must not break its session.
 */
export async function runHookCommand([name = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  // The judges are large, and the other commands here do not need them.
  const { runHook } = await import('../surfaces/hooks/run-hook.ts');
  const answer = await runHook({ name, legacy: isOn(flags, 'legacy') }, io.env, io.cwd);
  if (answer !== '') io.stdout.write(`${answer}\n`);
  return 0;
}

/** The settings file that a command is about: the project's local one, or with `--user` the user's. */
function settingsPath(flags: RawFlags, io: Io): string {
  return isOn(flags, 'user') ? userSettings(io) : projectSettings(flags, io);
}

/** Not `settings.json`, which is committed: paths of this machine are useless to other people. */
function projectSettings(flags: RawFlags, io: Io): string {
  return join(projectRoot(resolve(io.cwd, textOf(flags, 'projectDir') ?? '.')), '.claude', 'settings.local.json');
}

/** The client does not read a `settings.local.json` in the home folder. */
function userSettings(io: Io): string {
  return join(io.env['CLAUDE_CONFIG_DIR'] || join(io.env['HOME'] || homedir(), '.claude'), 'settings.json');
}
