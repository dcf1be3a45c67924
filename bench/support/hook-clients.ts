/**
 * A process of its own, so that asking does not take time from answering: sends what it is told as POSTs over
 * keep-alive connections, several clients at once, and reports how long each took.
 */
import { Agent, request } from 'node:http';

export interface Burst {
  readonly url: string;
  readonly token: string;
  readonly body: string;
  readonly clients: number;
  /** Of each client, one after the other. */
  readonly calls: number;
}

const agent = new Agent({ keepAlive: true });

process.on('message', (burst: Burst) => {
  void run(burst).then((times) => process.send?.(times));
});

async function run(burst: Burst): Promise<number[]> {
  return (await Promise.all(Array.from({ length: burst.clients }, () => client(burst)))).flat();
}

async function client(burst: Burst): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < burst.calls; call++) times.push(await post(burst));
  return times;
}

/** Milliseconds until the whole answer was there. */
function post({ url, token, body }: Burst): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', () => resolve(performance.now() - start));
    });
    sent.once('error', reject).end(body);
  });
}
