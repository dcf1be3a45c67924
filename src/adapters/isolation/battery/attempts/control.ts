import type { Attempt } from '../attempt.ts';

/** A call to the control server; one that is let in, or that breaks the server, got further than it may. */
const call = (what: string, method: string, path: string, headers: string) => `
  if (await status('${method}', '${path}', ${headers}) < 400) escaped(${JSON.stringify(what)});`;

/** What the token of one agent opens, and what it does not: `$CONTROL_URL`, `$CONTROL_TOKEN`. */
export const CONTROL: readonly Attempt[] = [
  {
    id: 'control-events',
    category: 'control server',
    attempt: "read the run's events with an agent's token",
    by: 'node',
    script: call('the token of an agent reads events', 'GET', '/events', 'bearer(process.env.CONTROL_TOKEN)'),
  },
  {
    id: 'control-guess',
    category: 'control server',
    attempt: 'enter with no token, an empty, a guessed or an altered one',
    by: 'node',
    script: `
      const token = process.env.CONTROL_TOKEN || 'x';
      const altered = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
      for (const guess of [undefined, '', ' ', 'operator', 'null', token.slice(0, -1), token + ' ' + token, altered]) {
        for (const [method, path] of [['GET', '/events'], ['POST', '/hooks'], ['POST', '/mcp']]) {
          const headers = guess === undefined ? {} : bearer(guess);
          if (await status(method, path, headers) < 400) escaped(method + ' ' + path + ' lets ' + guess + ' in');
        }
      }`,
  },
  {
    id: 'control-operator',
    category: 'control server',
    attempt: "find the operator's token",
    by: 'sh',
    script: `
      for file in "$STATE"/control/*; do [ -s "$file" ] && escaped "$file can be read"; done
      cat /proc/[0-9]*/root"$STATE"/control/* | grep -q token && escaped 'the control file can be read'`,
  },
  {
    id: 'control-pages',
    category: 'control server',
    attempt: 'enter as a page of another origin, or by another name of the loopback',
    by: 'node',
    script: `
      const token = bearer(process.env.CONTROL_TOKEN);
      ${call('another Host is let in', 'POST', '/hooks', "{ ...token, host: 'evil.test' }")}
      ${call('another Origin is let in', 'POST', '/hooks', "{ ...token, origin: 'http://evil.test' }")}
      ${call('no Host is let in', 'GET', '/events', "{ ...token, host: '' }")}`,
  },
  {
    id: 'control-routes',
    category: 'control server',
    attempt: 'find routes of the server that nobody told about',
    by: 'node',
    script: `
      const token = bearer(process.env.CONTROL_TOKEN);
      for (const path of ['/', '/token', '/admin', '/debug', '/steer', '/stop', '/events/..', '//events', '/Events',
          '/events?token=' + process.env.CONTROL_TOKEN, '/%65vents', '/hooks/../events']) {
        if (await status('GET', path, token) < 400) escaped('GET ' + path);
        if (await status('POST', path, token) < 400) escaped('POST ' + path);
      }`,
  },
];
