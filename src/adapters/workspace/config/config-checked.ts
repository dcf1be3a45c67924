import type { Config } from '../../../contracts/config.ts';
import { ConfigError, FileProblemsError } from '../../../contracts/errors.ts';
import type { Problem } from '../../../contracts/model.ts';
import { nearest } from '../../../rules/nearest.ts';
import { readConfigEnv } from './config-env.ts';
import type { ConfigFile } from './config-file.ts';
import type { LoadConfigInput } from './config-input.ts';
import { fileLayer, flagLayer, type LoadedConfig, merged, type Tree } from './config-merge.ts';
import { configSchema, type Setting, settings } from './config-schema.ts';
import { toConfig } from './to-config.ts';

/** {@link loadConfig} by the schema: what is wrong is said. */
export function checkedConfig(input: LoadConfigInput, file: ConfigFile | null): LoadedConfig {
  const all = settings();
  if (file !== null) refuseProblems(file, all);
  const env = readConfigEnv(input.env, all);
  const layers = [flagLayer(input.flags), env.layer, file === null ? new Map() : fileLayer(file, all)];
  return merged(layers, all, parse, env.warnings);
}

/** What counts without a file, also while that is broken; variables are left out where one of them is wrong. */
export function defaultConfig(env: LoadConfigInput['env']): Config {
  const all = settings();
  try {
    return merged([readConfigEnv(env, all).layer], all, parse).config;
  } catch {
    return merged([], all, parse).config;
  }
}

function refuseProblems(file: ConfigFile, all: readonly Setting[]): void {
  const problems = configProblems(file, all);
  if (problems.length === 0) return;
  throw new FileProblemsError(
    { what: `${file.file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}` },
    problems,
  );
}

/** What is wrong with a configuration file, each with the setting that it is about (the name in quotes). */
export function configProblems(file: ConfigFile, all: readonly Setting[] = settings()): readonly Problem[] {
  const result = configSchema.safeParse(file.values);
  if (result.success) return [];
  return result.error.issues.flatMap((issue): readonly Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey(file, [...issue.path, key], all))
      : [badValue(file, issue.path, issue.message, all)],
  );
}

function badValue(file: ConfigFile, path: readonly PropertyKey[], message: string, all: readonly Setting[]): Problem {
  const name = nameOf(path);
  const description = all.find((setting) => setting.key === name)?.description;
  return {
    severity: 'error',
    rule: 'config/value',
    file: file.file,
    line: file.lineOf(path),
    message: `'${name}' ${message}`,
    mend: description === undefined ? 'correct the value' : `correct it; it means: ${description}`,
  };
}

function unknownKey(file: ConfigFile, path: readonly PropertyKey[], all: readonly Setting[]): Problem {
  const name = nameOf(path);
  // Groups count as names too: `check` is nearer to `checks` than to any setting in it.
  const names = new Set(all.flatMap(({ path: parts }) => parts.map((_, index) => parts.slice(0, index + 1).join('.'))));
  const near = nearest(name, names);
  return {
    severity: 'error',
    rule: 'config/unknown-key',
    file: file.file,
    line: file.lineOf(path),
    message: `there is no setting '${name}'`,
    mend: near === null ? '`ralph config` lists all settings' : `did you mean '${near}'?`,
  };
}

/** File and environment are checked already, so what is wrong here came from the command line. */
function parse(tree: Tree): Config {
  const result = configSchema.safeParse(tree);
  if (result.success) return toConfig(result.data);
  const [issue] = result.error.issues;
  throw new ConfigError({ what: `'${nameOf(issue?.path ?? [])}' ${issue?.message}`, where: 'command line' });
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
