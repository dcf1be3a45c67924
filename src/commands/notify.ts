import {
  type Address,
  addressesOf,
  type DeadLetter,
  type Delivery,
  deliver,
  dropLetters,
  isGenuine,
  letterId,
  lettersPath,
  linkTo,
  type Message,
  readLetters,
  showOnDesktop,
  thisMachine,
} from '../adapters/notify/index.ts';
import { ExitCode, UsageError } from '../contracts/index.ts';
import { counted, oneLine } from '../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import { projectName } from './run/company.ts';
import type { RawFlags } from './shared/flags.ts';
import { configOf, openProject } from './shared/open.ts';
import { printResult } from './shared/print.ts';

/** A person waits for the answer: one more try is enough. */
const PATIENCE = { retries: 1, firstWaitMs: 500 } as const;

interface Shown {
  readonly to: string;
  readonly ok: boolean;
  readonly text: string;
}

/** `ralph notify test`: exit 1 when a notice could not be delivered. */
export async function testNotices(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { notify } = (await configOf(git, io)).config;
  if (notify.webhooks.length === 0 && notify.desktop === 'never' && notify.bell === 'never') {
    throw new UsageError({
      what: 'no notifications are configured',
      why: 'notify.webhooks, notify.desktop and notify.bell are at their defaults',
      fix: ['write {"notify": {"desktop": "attention"}} into ralph.config.json', 'see docs/notifications.md'],
    });
  }
  const unusable: Shown[] = [];
  const addresses = addressesOf(notify, {
    env: io.env,
    warn: (text) => unusable.push({ to: 'webhook', ok: false, text }),
  });
  const project = projectName(git.repo.root);
  const results = [
    ...unusable,
    ...(await Promise.all(
      addresses.map(async (address) =>
        shown(address, await deliver(address, testMessage(address, project, notify.link), PATIENCE)),
      ),
    )),
    ...(notify.desktop === 'never' ? [] : [await onDesktop(io.env)]),
    ...(notify.bell === 'never' ? [] : [ring(io)]),
  ];
  printResult(io, flags, { results }, renderResults(results, paintFor(io)));
  return results.every(({ ok }) => ok) ? ExitCode.complete : ExitCode.incomplete;
}

/** `ralph notify retry`: exit 1 when notices remain. */
export async function retryNotices(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { stateDir } = git.repo;
  const { notify } = (await configOf(git, io)).config;
  const letters = await readLetters(stateDir);
  const addresses = addressesOf(notify, {
    env: io.env,
    warn: (text) => io.stderr.write(`warning: ${oneLine(text)}\n`),
  });
  const sent: DeadLetter[] = [];
  const results = await Promise.all(
    [...new Set(letters.map(({ key }) => key))].map(async (key): Promise<Shown> => {
      const own = letters.filter((letter) => letter.key === key);
      const address = addresses.find((one) => one.key === key);
      const to = oneLine(own[0]?.shown ?? '');
      if (address === undefined)
        return { to, ok: false, text: `${counted(own.length, 'message')} kept: no webhook has that address any more` };
      const genuine = own.filter((letter) => isGenuine(letter, address));
      for (const letter of genuine) {
        const delivery = await deliver(address, letter, PATIENCE);
        // Sent in sequence: a notice that fails holds up those after it.
        if (!delivery.ok) return { to, ok: false, text: `${sentText(sent, key, own)}; ${delivery.why}` };
        sent.push(letter);
      }
      const strange = own.length - genuine.length;
      if (strange === 0) return { to, ok: true, text: sentText(sent, key, own) };
      const why = `${counted(strange, 'message')} not sent: saved under an earlier secret, or not by ralph; see ${lettersPath(stateDir)}`;
      return { to, ok: false, text: `${sentText(sent, key, own)}; ${why}` };
    }),
  );
  await dropLetters(stateDir, new Set(sent.map(letterId)));
  const left = letters.length - sent.length;
  const nothing = ['every message was delivered; nothing to send again'];
  const lines = letters.length === 0 ? nothing : renderResults(results, paintFor(io));
  printResult(io, flags, { sent: sent.length, left, results }, lines);
  return left === 0 ? ExitCode.complete : ExitCode.incomplete;
}

function sentText(sent: readonly DeadLetter[], key: string, own: readonly DeadLetter[]): string {
  return `${sent.filter((letter) => letter.key === key).length} of ${counted(own.length, 'message')} delivered`;
}

function testMessage({ chat }: Address, project: string, dashboard: string | null): Message {
  const now = new Date();
  const id = `test/${now.getTime()}`;
  const type = 'test';
  const text = 'ralph notify test';
  if (chat !== null) {
    const link = linkTo(dashboard, null, null);
    const about = { title: `ralph · ${oneLine(project)}`, text, link, isUrgent: false };
    return { id, type, body: JSON.stringify(chat(about)) };
  }
  const source = `/ralph/${encodeURIComponent(project)}`;
  const event = { specversion: '1.0', id, source, type: `dev.ralph.${type}`, time: now.toISOString() };
  return {
    id,
    type,
    body: JSON.stringify({ ...event, datacontenttype: 'application/json', data: { project, type, text } }),
  };
}

function shown({ shown: to, sign }: Address, delivery: Delivery): Shown {
  const signed = sign === null ? 'not signed' : 'signed';
  return { to, ok: delivery.ok, text: delivery.ok ? `it answers ${delivery.status}; ${signed}` : delivery.why };
}

async function onDesktop(env: Io['env']): Promise<Shown> {
  const problem = await showOnDesktop(
    { title: 'ralph', text: 'This is a test notification from ralph.' },
    thisMachine(env),
  );
  return { to: 'desktop', ok: problem === null, text: problem ?? 'shown' };
}

function ring(io: Io): Shown {
  if (!io.isTTY) return { to: 'bell', ok: true, text: 'rings only in a terminal' };
  io.stdout.write('\u0007');
  return { to: 'bell', ok: true, text: 'rung' };
}

function renderResults(results: readonly Shown[], paint: Paint): readonly string[] {
  return results.map(({ to, ok, text }) => `${paint(ok ? 'good' : 'bad', ok ? '✓' : '✗')} ${to}: ${oneLine(text)}`);
}
