import { basename } from 'node:path';
import type { Git } from '../adapters/git/port.ts';
import type { Config } from '../contracts/config.ts';
import type { EventSink } from '../contracts/events.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';

/** What a run that is over gives its receivers to take what is left, milliseconds. */
const LAST_WORDS_MS = 5_000;

/** Tells those who do not watch of a run. */
export interface RunNotices {
  readonly see: EventSink;
  /** Waits a little for what is on its way, and says what did not arrive. Never rejects. */
  readonly settle: () => Promise<void>;
}

/** The notices of a run. Where nobody wants any, nothing is loaded that could send them. */
export async function noticesOf({ repo }: Git, { notify }: Config, io: Io): Promise<RunNotices> {
  const { webhooks, desktop, bell } = notify;
  if (webhooks.length === 0 && desktop === 'never' && bell === 'never')
    return { see: () => {}, settle: async () => {} };
  const { openNotifier } = await import('../adapters/notify/open.ts');
  const { redactedJson } = await import('../adapters/workspace/redact.ts');
  const warn = (text: string) => void io.stderr.write(`warning: ${oneLine(text)}\n`);
  const notifier = openNotifier({
    settings: notify,
    project: projectName(repo.root),
    stateDir: repo.stateDir,
    env: io.env,
    toJson: redactedJson,
    ring: io.isTTY ? () => void io.stdout.write('\u0007') : null,
    warn,
  });
  return {
    see: notifier.see,
    async settle() {
      const left = await notifier.settle(LAST_WORDS_MS);
      if (left !== null) warn(left);
    },
  };
}

/** As receivers know the project. */
export function projectName(root: string): string {
  return basename(root) || 'project';
}
