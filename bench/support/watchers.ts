/**
 * Watchers of a dashboard, as a process of its own: `fork`ed with the dashboard's address and how many. They stand for
 * browsers on other machines, so they give way to all processes on this one. Tells its parent what it saw every second.
 */
import { Agent, get } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** What the watchers saw so far. */
export interface Seen {
  open: number;
  most: number;
  refused: number;
  bytes: number;
}

const LOWEST = 19;

setPriority(LOWEST);
const [address = '', count = '0'] = process.argv.slice(2);
const { origin, searchParams } = new URL(address);
const headers = { authorization: `Bearer ${searchParams.get('token')}` };
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const seen: Seen = { open: 0, most: 0, refused: 0, bytes: 0 };

const stream = await streamOfFirstRun();
for (let n = 0; n < Number(count); n += 1) open();
setInterval(() => process.send?.(seen), 1_000);

/** The run has an address once it is listed. */
async function streamOfFirstRun(): Promise<string> {
  for (;;) {
    const answer = await fetch(`${origin}/api/overview`, { headers }).catch(() => null);
    const { runs } = ((await answer?.json()) ?? { runs: [] }) as { runs: { project: string; run: string }[] };
    const [run] = runs;
    if (run !== undefined) return `${origin}/api/projects/${run.project}/runs/${run.run}/stream`;
    await wait(100);
  }
}

/** Opens a stream, and again when it is refused, at the time that the refusal names. */
function open(): void {
  const again = (seconds = 10) => void setTimeout(open, seconds * 1_000);
  const request = get(stream, { agent, headers }, (answer) => {
    if (answer.statusCode !== 200) {
      seen.refused += 1;
      answer.resume();
      again(Number(answer.headers['retry-after']));
      return;
    }
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    answer.on('data', (data: Buffer) => {
      seen.bytes += data.length;
    });
    answer.once('close', () => {
      seen.open -= 1;
    });
  });
  request.on('error', () => again());
}
