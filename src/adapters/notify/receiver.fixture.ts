import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Address } from './deliver.ts';

/** A request as the receiver got it. */
interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string | undefined;
  /** Epoch ms. */
  readonly at: number;
}

/** What the receiver says; null never answers. */
type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | null;

/** A real server on loopback that remembers what it got; gone after the test. */
export async function receiver(
  answer: (count: number, got: Got) => Answer = () => ({ status: 204 }),
): Promise<{ readonly url: string; readonly got: readonly Got[]; readonly address: Address }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        headers: request.headers,
        path: request.url,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      };
      got.push(one);
      const said = answer(got.length, one);
      if (said) response.writeHead(said.status, said.headers).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, got, address: { url, shown: 'the receiver', key: 'k', chat: null, sign: null, seal: null } };
}
