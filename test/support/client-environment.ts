import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A scrubbed environment for the real client: home, state and temporary files under `root`, a made-up key, a model
 * server on loopback, nothing of the machine's own configuration. IS_SANDBOX lets tests run as root.
 */
export async function clientEnvironment(root: string, modelServer: string): Promise<Record<string, string>> {
  const home = join(root, 'home');
  const config = join(home, '.claude');
  await mkdir(config, { recursive: true });
  await writeFile(join(home, '.gitconfig'), '');
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: modelServer,
    ANTHROPIC_API_KEY: 'made-up-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  };
}
