/** Headers between neighbours (RFC 9110 §7.6.1), and those that a proxy writes itself. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a flat list (name, value, name, value …) that are meant for the other end. */
export function endToEnd(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  const dropped = new Set([...NOT_PASSED_ON, ...named]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
