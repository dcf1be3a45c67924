/**
 * Why a request does not come from a program of this machine that means this server; null when it may.
 * The token decides who gets in. This stops web pages before that: a page whose name was made to resolve to 127.0.0.1
 * (DNS rebinding) still sends its own name as `Host`, and a page of another site its own `Origin`.
 */
export function strangeness(host: string | undefined, origin: string | undefined, port: number): string | null {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !own.includes(host.toLowerCase()))
    return 'this server answers to its loopback address only';
  if (origin !== undefined && !own.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return 'pages of other origins may not call this server';
  }
  return null;
}
