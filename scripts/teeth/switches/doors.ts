import type { Switch } from '../switch.ts';

const JUDGE = 'src/adapters/isolation/gateway/judge.ts';
const TUNNEL = 'src/adapters/isolation/gateway/tunnel.ts';
const OUTGOING = 'src/adapters/isolation/gateway/forward.ts';
const TARGET = 'src/adapters/isolation/gateway/judge.ts';
const APP = 'src/surfaces/server/start.ts';

const NO_LIST: Switch['edits'] = [
  {
    file: JUDGE,
    from: 'return matches(egress.patterns, target) ?? refuse(egress, target, whyNotListed(egress, target));',
    to: 'return matches(egress.patterns, target) ?? (target.port ? { exact: true, explicitPort: true } : refuse(egress, target, whyNotListed(egress, target)));',
  },
];

const KEYS = 'src/adapters/isolation/gateway/credentials.ts';

/** What the egress proxy and the control server let in. */
export const DOORS: readonly Switch[] = [
  {
    name: 'a list of hosts',
    edits: NO_LIST,
    battery: [
      ...['proxy-unlisted', 'proxy-by-ip', 'proxy-loopback', 'proxy-connect-port', 'proxy-pipelined', 'metadata'],
    ],
  },
  {
    name: 'refusing logins in URLs',
    edits: [
      ...NO_LIST,
      {
        file: TARGET,
        from: "  if (authority.includes('@')) return bad('a URL must not contain a login; send it in a header');\n",
        to: '',
      },
      { file: TARGET, from: 'parseAuthority(authority, 80)', to: "parseAuthority(authority.replace(/^.*@/, ''), 80)" },
    ],
    battery: ['proxy-userinfo'],
  },
  {
    name: 'a Host header of its own',
    edits: [
      {
        file: OUTGOING,
        from: 'const host = authorityText(endpoint, 80);',
        to: 'const host = request.headers.host ?? authorityText(endpoint, 80);',
      },
    ],
    battery: ['proxy-host-header'],
  },
  {
    name: 'a look at the name inside TLS',
    edits: [
      {
        file: TUNNEL,
        from: 'return foreign === undefined ? null :',
        to: 'return foreign === undefined || foreign ? null :',
      },
    ],
    battery: ['proxy-sni'],
  },
  {
    name: 'tokens',
    edits: [
      {
        file: 'src/surfaces/server/callers.ts',
        from: 'if (timingSafeEqual(entry.digest, digest)) found = entry.caller;',
        to: 'if (digest && timingSafeEqual(entry.digest, entry.digest)) found = entry.caller;',
      },
    ],
    battery: ['control-guess'],
  },
  {
    name: 'a look at where requests come from',
    edits: [{ file: APP, from: 'if (strange !== null) return', to: "if (strange === 'never') return" }],
    battery: ['control-pages'],
  },
  {
    name: 'an answer for unknown addresses',
    edits: [
      {
        file: APP,
        from: "return refuse(outgoing, 404, 'there is nothing at this address');",
        to: "return send(outgoing, 200, 'welcome');",
      },
    ],
    battery: ['control-routes'],
  },
  {
    name: 'real keys in the place of stand-ins',
    edits: [{ file: KEYS, from: '(at % 2 === 1 ? real(text) : text)', to: '(at % 2 === 3 ? real(text) : text)' }],
    battery: ['key-is-added'],
  },
  {
    name: 'asking for the stand-in',
    edits: [
      { file: KEYS, from: '    if (carried.length === 0) continue;\n', to: '    if (lent.length === 0) continue;\n' },
    ],
    battery: ['key-guessed'],
  },
  {
    name: 'the address that a key belongs to',
    edits: [{ file: KEYS, from: 'new URL(found.base)', to: 'new URL("http://" + request.headers.host)' }],
    battery: ['key-elsewhere'],
  },
  {
    name: 'answers of the gateway without keys',
    edits: [
      {
        file: KEYS,
        from: "text: 'ralph has no credential for this request'",
        to: 'text: lent[0]?.credentials[0]?.secret ?? "none"',
      },
    ],
    battery: ['key-gateway'],
  },
];
