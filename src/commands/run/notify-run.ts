import { basename } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import { projectAt, redactedJson } from '../../adapters/workspace/index.ts';
import type { Config, RalphEvent } from '../../contracts/index.ts';
import type { RunPorts } from '../../loop/index.ts';
import { knowSecrets } from '../../platform/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { onSignals } from '../shared/with-signals.ts';

/** How long a finished run waits for its receivers to take the remaining notices, milliseconds. */
const LAST_WORDS_MS = 5_000;
/** A shorter wait is not reported. */
const UNSEEN_WAIT_MS = 300;

/** What tells people outside of a run's events: by notices, and by comments on issues. */
export async function noticesOf(place: Pick<RunPorts, 'git' | 'workspace'>, config: Config, io: Io) {
  const notices = await noticesFor(place.git, config, io);
  if (!config.issues.comment) return notices;
  const { commentsOf } = await import('./comment-run.ts');
  const comments = commentsOf(place, io);
  return {
    see(event: RalphEvent) {
      notices.see(event);
      comments.see(event);
    },
    async settle() {
      await Promise.all([notices.settle(), comments.settle()]);
    },
  };
}

/** Where none are configured, nothing that sends them is loaded. */
async function noticesFor({ repo }: Git, { notify }: Config, io: Io) {
  const { webhooks, desktop, bell } = notify;
  if (webhooks.length === 0 && desktop === 'never' && bell === 'never')
    return { see: () => {}, settle: async () => {} };
  // Variables with any name may hold them.
  knowSecrets(webhooks.flatMap(({ secretEnv, urlEnv }) => [secretEnv, urlEnv]).map((name) => io.env[name ?? ''] ?? ''));
  const { openNotifier } = await import('../../adapters/notify/open.ts');
  const warn = (text: string) => void io.stderr.write(`warning: ${oneLine(text)}\n`);
  const notifier = openNotifier({
    settings: notify,
    project: projectName(repo.root),
    projectId: projectAt({ root: repo.root, repository: repo.commonDir }).id,
    stateDir: repo.stateDir,
    env: io.env,
    toJson: redactedJson,
    ring: io.isTTY ? () => void io.stdout.write('\u0007') : null,
    warn,
  });
  const leaving = leaveOnSignal();
  return {
    see(event: RalphEvent) {
      notifier.see(event);
      // The loop still handles signals then, so that there is no moment in which they go unhandled.
      if (event.type === 'run-end') leaving.listen();
    },
    /**
     * Waits briefly for pending notices, and reports those that did not arrive; a signal ends the wait, and the rest is
     * kept. Never rejects.
     */
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
 * Handles signals after the end of a run: its exit code is decided, so the first one only ends the wait. The second one
 * ends the process.
 */
function leaveOnSignal() {
  const leave = new AbortController();
  let end = () => {};
  return {
    signal: leave.signal,
    end: () => end(),
    /** Safe to call twice. */
    listen() {
      end();
      end = onSignals((_, code) => {
        if (leave.signal.aborted) process.exit(code);
        leave.abort();
      });
    },
  };
}

export function projectName(root: string): string {
  return basename(root) || 'project';
}
