import { basename } from 'node:path';
import type { Git } from '../../adapters/git/port.ts';
import { redactedJson } from '../../adapters/workspace/events/redact/redact.ts';
import type { Config } from '../../contracts/config.ts';
import type { EventSink } from '../../contracts/events.ts';
import { ExitCode } from '../../contracts/model.ts';
import { knowSecrets } from '../../platform/secrets.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';

/** What a run that is over gives its receivers to take what is left, milliseconds. */
const LAST_WORDS_MS = 5_000;
/** A person need not be told of a shorter wait. */
const UNSEEN_WAIT_MS = 300;

/** Tells those who do not watch of a run. */
export interface RunNotices {
  readonly see: EventSink;
  /**
   * Waits a little for what is on its way, and says what did not arrive; a signal ends the wait, and what is left is
   * kept. Never rejects.
   */
  readonly settle: () => Promise<void>;
}

/** The notices of a run. Where nobody wants any, nothing is loaded that could send them. */
export async function noticesOf({ repo }: Git, { notify }: Config, io: Io): Promise<RunNotices> {
  const { webhooks, desktop, bell } = notify;
  if (webhooks.length === 0 && desktop === 'never' && bell === 'never')
    return { see: () => {}, settle: async () => {} };
  // Variables of any name may hold them.
  knowSecrets(webhooks.map(({ secretEnv }) => io.env[secretEnv ?? ''] ?? ''));
  const { openNotifier } = await import('../../adapters/notify/open.ts');
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
  const leaving = leaveOnSignal();
  return {
    see(event) {
      notifier.see(event);
      // The loop still hears signals then: from the one to the other there is no moment in which nobody does.
      if (event.type === 'run-end') leaving.listen();
    },
    async settle() {
      leaving.listen();
      const saying = setTimeout(() => {
        const waiting = notifier.waiting();
        const text = `waiting for ${counted(waiting, 'webhook')}, up to ${LAST_WORDS_MS / 1000} s`;
        if (io.isTTY && waiting > 0) io.stderr.write(`${text}\n`);
      }, UNSEEN_WAIT_MS);
      const left = await notifier.settle(LAST_WORDS_MS, leaving.signal);
      clearTimeout(saying);
      for (const text of left) warn(text);
      leaving.end();
    },
  };
}

/**
 * Signals to a run that is over: its exit code is decided, so that the first one only ends the wait. The second one ends
 * the process.
 */
function leaveOnSignal() {
  const leave = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (leave.signal.aborted) process.exit(signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated);
    leave.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  return {
    signal: leave.signal,
    end,
    /** Safe to call twice. */
    listen() {
      end();
      for (const signal of signals) process.on(signal, onSignal);
    },
  };
}

/** As receivers know the project. */
export function projectName(root: string): string {
  return basename(root) || 'project';
}
