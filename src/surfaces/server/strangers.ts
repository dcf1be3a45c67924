/** How the loopback interface is called. */
const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost'];

/**
 * Why a request does not come from a program of this machine that means this server; null when it may.
 * The token decides who gets in. This stops web pages before that: a page whose name was made to resolve to 127.0.0.1
 * (DNS rebinding) still sends its own name as `Host`, and a page of another site its own `Origin`.
 * @param names by which the server may be called, in lower case, without the port
 */
export function strangeness(
  host: string | undefined,
  origin: string | undefined,
  port: number,
  names: readonly string[] = LOOPBACK_NAMES,
): string | null {
  // Browsers leave the port of http out.
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (host === undefined || !own.includes(host.toLowerCase())) {
    return names === LOOPBACK_NAMES
      ? 'this server answers to its loopback address only'
      : 'this server answers to its own address only';
  }
  if (origin !== undefined && !own.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return 'pages of other origins may not call this server';
  }
  return null;
}
