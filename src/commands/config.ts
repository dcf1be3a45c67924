import { agentByName } from '../adapters/agents/index.ts';
import {
  askedIn,
  type ConfigEdit,
  configIn,
  configText,
  findConfigFile,
  loadConfig,
  NEW_CONFIG_FILE,
  settingFor,
  trust,
  trustedHere,
  unknownSetting,
  withoutSetting,
  withSetting,
} from '../adapters/workspace/index.ts';
import { ConfigError, UsageError } from '../contracts/index.ts';
import { stat, writeAtomic } from '../platform/index.ts';
import { oneLine } from '../rules/text/index.ts';
import { type Asked, untrusted } from '../rules/trust/index.ts';
import { type Column, type Io, paintFor, renderColumns } from '../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configOf, openProject, withRunLock } from './shared/open.ts';
import { printJson, printResult, widthOf } from './shared/print.ts';

/** `ralph config list` */
export async function listConfig(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const settings = await effectiveSettings(flags, io);
  return printResult(io, flags, settings, renderColumns(COLUMNS, settings, widthOf(io), paintFor(io)));
}

/**
 * Every setting of the project's configuration, its value as people write it, and where it is set (empty for a default);
 * warnings about it go to stderr.
 */
async function effectiveSettings(flags: RawFlags, io: Io) {
  const git = await openProject(flags, io);
  const { sources, warnings } = await configOf(git, io);
  for (const warning of warnings) io.stderr.write(`warning: ${oneLine(warning)}\n`);
  return Object.entries(sources).map(([key, { value, source, where }]) => ({ key, value, source, where }));
}

const COLUMNS: readonly Column<Awaited<ReturnType<typeof effectiveSettings>>[number]>[] = [
  { title: 'key', text: ({ key }) => key },
  {
    title: 'value',
    text: ({ value }) => settingText(value),
    tone: ({ source }) => (source === 'default' ? null : 'strong'),
    flexible: true,
  },
  {
    title: 'from',
    text: ({ source, where }) => (source === 'default' ? 'default' : `${source} ${where}`.trim()),
    tone: ({ source }) => (source === 'default' ? 'dim' : 'accent'),
  },
];

/** A text unchanged, anything else as JSON. */
function settingText(value: unknown): string {
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value);
}

/**
 * `ralph config get KEY`: the value alone, for scripts; with `--json` also its origin. For a group, such as `checks`,
 * the table of its settings.
 */
export async function getConfig([key = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const settings = await effectiveSettings(flags, io);
  const setting = settings.find((one) => one.key === key);
  if (setting) return printResult(io, flags, setting, [settingText(setting.value)]);
  const members = settings.filter((one) => one.key.startsWith(`${key}.`));
  if (members.length > 0)
    return printResult(io, flags, members, renderColumns(COLUMNS, members, widthOf(io), paintFor(io)));
  throw unknownSetting(
    key,
    settings.map((one) => one.key),
  );
}

/** `ralph config set KEY VALUE`, or `--unset`: changes the project's file, never the environment. */
export async function setConfig([key = '', word]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const unset = isOn(flags, 'unset');
  if (unset === (word !== undefined)) {
    throw new UsageError({ what: unset ? '--unset takes no value' : `give a value for '${key}', or --unset` });
  }
  const { repo } = await openProject(flags, io);
  // A run restores the file after every iteration, so a change made during a run would be lost.
  const change = await withRunLock(repo.stateDir, 'ralph config set', async () => {
    const before = await asked(repo.root, io);
    const change = await changeFile(repo.root, key, word);
    // A person wrote this change. Settings beside it that were not trusted stay untrusted.
    const isTrusted = untrusted(before, await trustedHere(io.env, repo.root)).length === 0;
    if (isTrusted) await trust(io.env, repo.root, await asked(repo.root, io));
    return change;
  });
  for (const problem of change.edit?.problems ?? [])
    io.stderr.write(`warning: ${problem.file}:${problem.line}: ${oneLine(problem.message)}\n`);
  const winner = await overriddenBy(repo.root, key, io);
  if (winner !== null) io.stderr.write(`warning: ${winner} is also set and overrides the file\n`);
  const { file, edit } = change;
  return printResult(
    io,
    flags,
    { key, value: edit?.value ?? null, file, line: edit?.line ?? null, changed: edit !== null },
    [said(key, file, edit)],
  );
}

/** What the configuration file sets; nothing where it is code, which only a person changes. */
async function asked(root: string, { env }: Io): Promise<Asked> {
  const found = await findConfigFile(root);
  if (found === null || !found.endsWith('.json')) return {};
  const { values } = configIn(found, await configText(root, found));
  return askedIn(root, env, values, false);
}

/** @returns `edit`: null when there was nothing to remove */
async function changeFile(root: string, key: string, word: string | undefined) {
  const found = await findConfigFile(root);
  const file = found ?? NEW_CONFIG_FILE;
  if (!file.endsWith('.json')) throw isCode(file, key, word);
  if ((await stat(`${root}/${file}`))?.kind === 'symlink') throw isLink(file);
  const change = { file, key, text: found === null ? null : await configText(root, found) };
  const edit = word === undefined ? withoutSetting(change) : withSetting(change, word);
  if ((key === 'agent' || key === 'review.agents') && edit?.value)
    await Promise.all(namesIn(edit.value).map(agentByName));
  if (edit !== null) await writeAtomic(`${root}/${file}`, edit.text);
  return { file, edit };
}

/** Names of agents, in the form the setting takes. */
function namesIn(value: unknown): readonly string[] {
  return [value]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((name) => name.trim());
}

function said(key: string, file: string, edit: ConfigEdit | null): string {
  const name = oneLine(key);
  if (edit === null) return `${name} is not set in ${file}: nothing to remove`;
  return edit.line === null
    ? `${name} removed from ${file}`
    : `${name} = ${settingText(edit.value)}   (${file}:${edit.line})`;
}

/** The variable that overrides the setting; other problems of the configuration are reported already. */
async function overriddenBy(root: string, key: string, { env }: Io): Promise<string | null> {
  const loaded = await loadConfig({ root, env, flags: {}, runsCode: false, onUntrusted: 'given' }).catch(() => null);
  const source = loaded?.sources[key];
  return source?.source === 'env' ? source.where : null;
}

/** Says what to write, so that the person need not know how settings nest. */
function isCode(file: string, key: string, word: string | undefined): ConfigError {
  const { path } = settingFor(key);
  const value = word === undefined ? '' : JSON.stringify(withSetting({ file, text: null, key }, word).value);
  const written = path.reduceRight(
    (inner, name, at) => `${name}: ${at === path.length - 1 ? inner : `{ ${inner} }`}`,
    value,
  );
  return new ConfigError({
    what: `${file} is code: ralph cannot edit it`,
    where: file,
    fix: [word === undefined ? `remove ${key} from it` : `add to it: ${oneLine(written)}`],
  });
}

function isLink(file: string): ConfigError {
  return new ConfigError({
    what: `${file} is a link`,
    where: file,
    why: 'it may lead out of the project',
    fix: ['change the file that it points to'],
  });
}

/** `ralph config schema` */
export async function configSchema(_args: readonly string[], _flags: RawFlags, io: Io): Promise<number> {
  const { configJsonSchema } = await import('../adapters/workspace/config/settings.ts');
  printJson(io, configJsonSchema());
  return 0;
}
