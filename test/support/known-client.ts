import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Somebody has used the interactive client before: its first questions are answered, it may use the made-up key, trusts
 * this folder, and writes and validates there without asking.
 */
export async function settleClientIn(repo: string, env: Readonly<Record<string, string>>): Promise<void> {
  const config = env['CLAUDE_CONFIG_DIR'] as string;
  const known = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [env['ANTHROPIC_API_KEY']], rejected: [] },
    projects: { [repo]: { hasTrustDialogAccepted: true } },
  };
  const permissions = { defaultMode: 'default', allow: ['Read', 'Write', 'Edit', 'Bash(ralph validate:*)'] };
  await writeFile(join(config, '.claude.json'), JSON.stringify(known));
  await writeFile(join(config, 'settings.json'), JSON.stringify({ model: 'claude-sonnet-5-5', permissions }));
}
