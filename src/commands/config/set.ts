import { agentByName } from '../../adapters/agents/registry.ts';
import { loadConfig, pluginEntries } from '../../adapters/workspace/config/config.ts';
import {
  type ConfigEdit,
  NEW_CONFIG_FILE,
  settingFor,
  withoutSetting,
  withSetting,
} from '../../adapters/workspace/config/config-edit.ts';
import { configIn, configText, findConfigFile } from '../../adapters/workspace/config/config-file.ts';
import { askedOf, trust, trustedHere } from '../../adapters/workspace/config/trust.ts';
import { ConfigError, UsageError } from '../../contracts/errors.ts';
import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { stat } from '../../platform/files/files.ts';
import { type Asked, untrusted } from '../../rules/trust.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import { settingText } from './list.ts';

/** `ralph config set KEY VALUE`, or `--unset`: changes the file of the project, never the environment. */
export async function setConfig([key = '', word]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const unset = isOn(flags, 'unset');
  if (unset === (word !== undefined)) {
    throw new UsageError({ what: unset ? '--unset takes no value' : `give a value for '${key}', or --unset` });
  }
  const { repo } = await openProject(flags, io);
  // A run puts the file back after every iteration: a change under its hands would be lost.
  const change = await withRunLock(repo.stateDir, 'ralph config set', async () => {
    const before = await asked(repo.root);
    const change = await changeFile(repo.root, key, word);
    // A person wrote this. What they never trusted beside it stays so.
    const isTrusted = untrusted(before, await trustedHere(io.env, repo.root)).length === 0;
    if (isTrusted) await trust(io.env, repo.root, await asked(repo.root));
    return change;
  });
  for (const problem of change.edit?.problems ?? [])
    io.stderr.write(`warning: ${problem.file}:${problem.line}: ${oneLine(problem.message)}\n`);
  const winner = await overriddenBy(repo.root, key, io);
  if (winner !== null) io.stderr.write(`warning: ${winner} is set, too, and wins over the file\n`);
  const { file, edit } = change;
  if (isOn(flags, 'json'))
    printJson(io, { key, value: edit?.value ?? null, file, line: edit?.line ?? null, changed: edit !== null });
  else printLines(io, [said(key, file, edit)]);
  return 0;
}

/** What the configuration file asks for; nothing where it is code, which only a person changes. */
async function asked(root: string): Promise<Asked> {
  const found = await findConfigFile(root);
  if (found === null || !found.endsWith('.json')) return {};
  const { values } = configIn(found, await configText(root, found));
  return askedOf(root, values, await pluginEntries(root, values));
}

interface Changed {
  readonly file: string;
  /** null: there was nothing to remove. */
  readonly edit: ConfigEdit | null;
}

async function changeFile(root: string, key: string, word: string | undefined): Promise<Changed> {
  const found = await findConfigFile(root);
  const file = found ?? NEW_CONFIG_FILE;
  if (!file.endsWith('.json')) throw isCode(file, key, word);
  if ((await stat(`${root}/${file}`))?.kind === 'symlink') throw isLink(file);
  const change = { file, key, text: found === null ? null : await configText(root, found) };
  const edit = word === undefined ? withoutSetting(change) : withSetting(change, word);
  if (key === 'agent' && edit?.value) await Promise.all(namesIn(edit.value).map(agentByName));
  if (edit !== null) await writeAtomic(`${root}/${file}`, edit.text);
  return { file, edit };
}

/** Of agents; as the setting takes them. */
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

/** The variable that counts instead; what is wrong with the rest of the configuration was said already. */
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
    what: `${file} is code: only a person can change it`,
    where: file,
    mend: [word === undefined ? `take ${key} out of it` : `write into it: ${oneLine(written)}`],
  });
}

function isLink(file: string): ConfigError {
  return new ConfigError({
    what: `${file} is a link`,
    where: file,
    why: 'it may lead out of the project',
    mend: ['change the file that it leads to'],
  });
}
