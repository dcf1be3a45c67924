import { readConfigFile } from './config-file.ts';
import type { LoadConfigInput } from './config-input.ts';
import type { LoadedConfig } from './config-merge.ts';
import { plainConfig } from './config-plain.ts';

export type { ConfigFlags, LoadedConfig } from './config-merge.ts';

/**
 * The effective configuration: flag over environment over file over default, and where each value came from.
 * @throws FileProblemsError with every problem of the file; ConfigError for the environment, the flags, two files.
 */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const file = await readConfigFile(input.root, input.runsCode ?? true);
  const plain = plainConfig(input, file);
  if (plain !== null) return plain;
  // The schema takes longer to load than most commands take.
  const { checkedConfig } = await import('./config-checked.ts');
  return checkedConfig(input, file);
}
